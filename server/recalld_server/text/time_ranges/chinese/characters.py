"""The characters that Chinese time phrases are made of. Tables that are searched for a prefix have the longest first."""

from __future__ import annotations

from typing import Final

from recalld_server.text.time_ranges.parts import AFTERNOON, EVENING, MORNING, NIGHT, NOON, SMALL_HOURS, Part, Unit


def _longest_first(words: dict[str, object]) -> tuple[str, ...]:
    return tuple(sorted(words, key=len, reverse=True))


DIGITS: Final = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
NUMERALS: Final = frozenset(DIGITS) | frozenset("十百半几数")
_PLAIN: Final = "零〇一二三四五六七八九十百两几"
NUMERAL_CHARACTERS: Final = frozenset(_PLAIN + "0123456789")

DAY_WORDS: Final = {
    "大前天": -3,
    "大后天": 3,
    "前天": -2,
    "前日": -2,
    "昨天": -1,
    "寻日": -1,
    "琴日": -1,
    "昨日": -1,
    "昨儿": -1,
    "今儿": 0,
    "明儿": 1,
    "今天": 0,
    "今日": 0,
    "明天": 1,
    "明日": 1,
    "听日": 1,
    "后日": 2,
    "后天": 2,
}
DAYS: Final = _longest_first(dict(DAY_WORDS))
# 以前|天天, 后天性, 今日头条 …: (characters before, characters after) that make another word of it.
NOT_DAYS: Final = {
    "前天": ("以之目从眼生", "性台线"),
    "后日": ("以之最然先今", "本谈"),
    "听日": ("", "本语剧文"),
    "琴日": ("钢提口小风古木", ""),
    "前日": ("以之目从当生提", "本程"),
    "后天": ("以之先然最今", "性免形努培失养"),
    "今日": ("", "头"),
    "明日": ("", "方之香"),
    "昨日": ("", "重"),
    "明天": ("声说", ""),
}
DAY_WITH_PART: Final = {
    "昨晚": (-1, NIGHT),
    "昨夜": (-1, NIGHT),
    "昨早": (-1, MORNING),
    "今晚": (0, NIGHT),
    "今夜": (0, NIGHT),
    "今早": (0, MORNING),
    "今晨": (0, MORNING),
    "明晚": (1, NIGHT),
    "明早": (1, MORNING),
    "前晚": (-2, NIGHT),
}
DAYS_WITH_PART: Final = _longest_first(dict(DAY_WITH_PART))
DAY_PARTS: Final = {
    "凌晨": SMALL_HOURS,
    "清晨": MORNING,
    "早晨": MORNING,
    "大清早": MORNING,
    "一大早": MORNING,
    "白天": (6, 18),
    "午后": AFTERNOON,
    "黄昏": (17, 20),
    "早上": MORNING,
    "上午": MORNING,
    "中午": NOON,
    "下午": AFTERNOON,
    "傍晚": (17, 20),
    "晚间": EVENING,
    "晚上": NIGHT,
    "夜里": NIGHT,
    "夜间": NIGHT,
    "深夜": NIGHT,
    "半夜": NIGHT,
}
DAY_PART_WORDS: Final = _longest_first(dict(DAY_PARTS))

YEAR_WORDS: Final = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "本年": 0, "明年": 1, "后年": 2}
YEARS: Final = _longest_first(dict(YEAR_WORDS))
NOT_YEARS: Final = {"前年": "以之目从", "后年": "以之然最", "去年": "过失出", "明年": "聪说声", "本年": "日基"}
AFTER_NO_YEAR: Final = frozenset("轻龄纪级薪糕货兽")

OFFSETS: Final = {
    "上上": -2,
    "上一": -1,
    "前一": -1,
    "上": -1,
    "这一": 0,
    "这": 0,
    "本": 0,
    "下下": 2,
    "下一": 1,
    "下": 1,
}
OFFSET_WORDS: Final = _longest_first(dict(OFFSETS))
# 线上|周边, 早上, 楼下, 日本|周…: the first character then belongs to the word before.
NOT_OFFSETS: Final = {"上": "线网早晚桌楼路身马街船车", "下": "楼线地天手当之如乡一", "本": "日版基成样剧书课资根原"}
WEEKS: Final = ("星期", "礼拜", "周")
AFTER_NO_WEEK: Final = frozenset("边围期刊身遭年岁折旋长报到转")
AFTER_NO_MONTH: Final = frozenset("亮饼光球经薪嫂子")

WEEKDAYS: Final = {character: index for index, character in enumerate("一二三四五六日")} | {"天": 6}
# 上周|一起, 上周|日本, 上星期|天气: the second character then begins the next word.
NOT_WEEKDAYS: Final = {
    "一": "起直共些样下定个次家",
    "日": "本常历记程志语",
    "天": "气天",
}
AFTER_NO_WEEKDAY: Final = frozenset("个次百千万" + _PLAIN)

SEASONS: Final = {f"{name}{end}": index for index, name in enumerate("春夏秋冬") for end in "天季"}
SEASON_WORDS: Final = tuple(SEASONS)

PARTS: Final = {
    "初": Part.BEGIN,
    "上旬": Part.EARLY,
    "中旬": Part.MIDDLE,
    "下旬": Part.LATE,
    "中": Part.MIDDLE,
    "底": Part.END,
    "末": Part.END,
}
PART_WORDS: Final = _longest_first(dict(PARTS))

HALVES: Final = ("上半月", "下半月")

UNITS: Final = {
    "秒钟": Unit.SECOND,
    "秒": Unit.SECOND,
    "分钟": Unit.MINUTE,
    "小时": Unit.HOUR,
    "钟头": Unit.HOUR,
    "天": Unit.DAY,
    "日": Unit.DAY,
    "晚": Unit.DAY,
    "周": Unit.WEEK,
    "星期": Unit.WEEK,
    "礼拜": Unit.WEEK,
    "月": Unit.MONTH,
    "季度": Unit.QUARTER,
    "年": Unit.YEAR,
}
UNIT_WORDS: Final = _longest_first(dict(UNITS))
AFTER_NO_UNIT: Final = {"年": AFTER_NO_YEAR | frozenset("代制"), "周": AFTER_NO_WEEK, "日": frozenset("本元")}

AGO: Final = ("之前", "以前", "前")
FROM_NOW: Final = ("之后", "以后", "后")
WITHIN: Final = ("之内", "以内", "内")
ROLLING: Final = ("过去的这", "过去的", "过去这", "过去", "最近的", "最近这", "最近", "近", "这")
AHEAD: Final = ("接下来的", "接下来", "未来的", "未来", "今后", "往后")
NOT_NEAR: Final = frozenset("附接靠将远亲最")

SINCE: Final = ("到现在", "到今天", "以来", "至今", "开始", "起")
RANGE_TO: Final = ("到", "至", "-", "~")
# 前端, 以后来, 后面 …: not the "before" and "after" of a date.
AFTER_NO_BEFORE: Final = frozenset("端台锋面往进后提途夕夜") | NUMERALS
AFTER_NO_AFTER: Final = frozenset("来面果悔续台端勤半")

# 一天内存, 三年内蒙古
AFTER_NO_WITHIN: Final = frozenset("存裤衣蒙容部心科测战阁陆耗涵卷饰网鬼推")

# A month in characters (三月) stands alone only where a clause goes on or ends like this; 二月兰, 三月兔, 五月天 are no months.
AFTER_A_MONTH: Final = frozenset("份的初底末里那我你他她它咱以之到至起开公团大项系和与及或")
BEFORE_A_MONTH: Final = frozenset("在从自到今明于是")
NOT_MONTHS: Final = frozenset("兰兔天半节革飞桃花怀街")
