"""Reflecting: looking back on sessions and memories, and keeping what lasts under the rules of a write."""

from recalld_server.core.reflect.build import build_runner
from recalld_server.core.reflect.reflections import Reflections, ReflectOrder, counted
from recalld_server.core.reflect.runner import Runner, RunnerOptions
from recalld_server.core.reflect.scheduler import Scheduler

__all__ = ["ReflectOrder", "Reflections", "Runner", "RunnerOptions", "Scheduler", "build_runner", "counted"]
