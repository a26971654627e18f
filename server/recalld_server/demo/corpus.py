"""What the two agents of the demo know, and what they are asked. All of it is made up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Note:
    """A memory to write. `days_ago` dates what it tells of."""

    content: str
    kind: Literal["episodic", "semantic", "procedural"] = "semantic"
    user_id: str = ""
    tags: tuple[str, ...] = ()
    days_ago: float = 0.0
    metadata: dict[str, object] = field(default_factory=dict)
    private: bool = False
    failed_tool: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A search, and a part of the memory that must be among the first `within` hits."""

    query: str
    expected: str
    within: int = 3


ENGLISH = (
    Note("Lin Qiao is allergic to peanuts and carries an adrenaline pen.", user_id="lin", tags=("health",)),
    Note("Lin prefers window seats on trains and never books flights before nine.", user_id="lin", tags=("travel",)),
    Note("Lin lives in Hangzhou.", user_id="lin", tags=("home",), days_ago=400),
    Note("Lin plays the cello in an amateur quartet on Thursday evenings.", user_id="lin", tags=("hobby",)),
    Note("Lin's cat is called Mochi and eats only dry food.", user_id="lin", tags=("home",)),
    Note("Omar is vegetarian, but he eats eggs.", user_id="omar", tags=("health",)),
    Note("Omar wants meeting notes as bullet points, never longer than one page.", user_id="omar", tags=("style",)),
    Note("Omar's daughter starts school in Lyon in September.", user_id="omar", tags=("family",)),
    Note("Project Heron: every migration needs a rollback script before review.", tags=("heron", "rule")),
    Note("Project Heron: the staging database is copied from production every Sunday night.", tags=("heron",)),
    Note("Project Heron deploys only between Tuesday and Thursday.", tags=("heron", "rule")),
    Note("The Heron API gateway listens on port 8443.", tags=("heron",), metadata={"service": "gateway", "port": 8443}),
    Note(
        "Ticket PAY-1423: refunds above 500 euros need a second approval.", tags=("billing",), metadata={"limit": 500}
    ),
    Note(
        "Order 88213 was delivered to the wrong address and sent again.",
        kind="episodic",
        tags=("orders",),
        days_ago=6,
        metadata={"order": 88213},
    ),
    Note(
        "Order 90077, two standing desks, was cancelled by the customer.",
        kind="episodic",
        tags=("orders",),
        days_ago=45,
        metadata={"order": 90077},
    ),
    Note(
        "npm run build failed with ERR_OSSL_EVP_UNSUPPORTED on Node 18; upgrading webpack to version 5 fixed it.",
        kind="episodic",
        tags=("tools",),
        days_ago=3,
        failed_tool="npm",
    ),
    Note(
        "pytest hung because the fixture opened a second event loop; closing the client in the test fixed it.",
        kind="episodic",
        tags=("tools",),
        days_ago=12,
        failed_tool="pytest",
    ),
    Note(
        "To rotate the signing key: run keyctl rotate, wait for both regions, then delete the old key.",
        kind="procedural",
    ),
    Note(
        "Before a release, tag the commit, build the image, and post the digest in the release channel.",
        kind="procedural",
    ),
    Note(
        "The quarterly review with the Lyon office went well; they asked for weekly figures.",
        kind="episodic",
        days_ago=20,
    ),
)

CHINESE = (
    Note("林乔对青霉素过敏,看病时要先说明。", user_id="lin", tags=("健康",)),
    Note("林乔喝咖啡不加糖,下午三点以后不喝。", user_id="lin", tags=("饮食",)),
    Note("林乔的母亲住在绍兴,每个月第一个周末回去看她。", user_id="lin", tags=("家庭",)),
    Note("王师傅的手机换成了尾号 7716。", user_id="wang", tags=("联系方式",)),
    Note("王师傅不会用电子表格,报表请打印出来给他。", user_id="wang", tags=("习惯",)),
    Note("仓库的门禁密码每九十天更换一次,由行政发放。", tags=("仓库", "规则")),
    Note("仓库二号门周三下午停电检修。", kind="episodic", tags=("仓库",), days_ago=5),
    Note("退货超过七天需要主管签字。", tags=("订单", "规则")),
    Note(
        "订单 88213 的客户要求开增值税专用发票。",
        kind="episodic",
        tags=("订单",),
        days_ago=6,
        metadata={"order": 88213},
    ),
    Note("客户反映蓝色杯子的把手容易断,已经通知供应商。", kind="episodic", tags=("质量",), days_ago=18),
    Note("供应商「青禾」的交货期是十二个工作日。", tags=("供应商",), metadata={"lead_days": 12}),
    Note("鹭计划的接口文档用中文写,代码注释用英文写。", tags=("heron", "规则")),
    Note("kubectl 部署失败时先看配额,再按运维手册第三章回滚。", kind="procedural", tags=("运维",)),
    Note(
        "上传报表脚本报错 UnicodeDecodeError,改用 utf-8-sig 读取后恢复。",
        kind="episodic",
        tags=("工具",),
        days_ago=9,
        failed_tool="upload_report",
    ),
    Note("会议室的打印机型号是 HP M283,墨盒在三楼前台领取。", tags=("办公室",)),
    Note("新来的实习生小周负责整理会议录音。", tags=("团队",)),
    Note("团建去年在莫干山,今年大家想去海边。", kind="episodic", tags=("团队",), days_ago=30),
    Note("报销单必须在每月二十五日以前交给财务。", tags=("财务", "规则")),
    Note("林乔正在学法语,准备明年去里昂办公室工作半年。", user_id="lin", tags=("学习",)),
)

PRIVATE = Note("我们准备在周五给林乔一个生日惊喜,先不要告诉别人。", user_id="lin", private=True)

ENGLISH_QUESTIONS = (
    Question("What must Lin not eat?", "peanuts"),
    Question("How should I write up the meeting for Omar?", "bullet points"),
    Question("ERR_OSSL_EVP_UNSUPPORTED", "webpack", within=1),
    Question("When may we deploy Heron?", "Tuesday and Thursday"),
    Question("Who has to approve a large refund?", "PAY-1423"),
)

CHINESE_QUESTIONS = (
    Question("林乔不能用什么药?", "青霉素"),
    Question("报销什么时候截止?", "二十五日", within=1),
    Question("请问一下会议室那个打印机是什么型号的", "HP M283", within=1),
    Question("kubectl 回滚", "运维手册", within=1),
    Question("门禁密码多久换一次?", "九十天", within=1),
)

CROSS_QUESTIONS = (
    Question("What should the doctor be told before treatment?", "青霉素"),
    Question("How often is the warehouse door code changed?", "九十天"),
    Question("奥马尔吃素吗?", "vegetarian", within=5),
    Question("怎样轮换签名密钥?", "keyctl", within=5),
)
