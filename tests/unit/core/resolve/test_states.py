"""What becomes of things and of people: where things go, who dies, what is fixed, who is single, who moves out."""

from __future__ import annotations

import pytest
from tests.unit.core.resolve.pairs import CONFLICT, DUPLICATE, NEW, SUPERSEDES, verdict


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # where things go or are kept
        ("Traces go to Zipkin", "Traces now go to Tempo"),
        ("Invoices are stored in Dropbox", "Invoices are now stored in Nextcloud"),
        ("Dumps live in Glacier", "Dumps now live in Backblaze"),
        ("告警发到邮箱", "告警现在发到值班群"),
        ("发票放在保险柜", "发票现在放在抽屉里"),
        ("發票放在保險櫃", "發票現在放在抽屜裡"),
        # what befalls what one has
        ("I have a parrot", "My parrot died last week"),
        ("I have a rabbit", "My rabbit passed away"),
        ("I have a scooter", "My scooter was stolen"),
        ("我养了一只鹦鹉", "我的鹦鹉去世了"),
        ("我養了一隻鸚鵡", "我的鸚鵡死了"),
        ("我有一台相机", "我的相机被偷了"),
        # what is told first
        ("我订阅了网飞", "网飞我退订了"),
        ("我订阅了财新", "财新我已经退订了"),
        # what somebody made of a thing, and what became of it
        ("The ticket is open", "I closed the ticket"),
        ("Bug 31 is open", "We fixed bug 31"),
        ("The invoice is unpaid", "I paid the invoice"),
        ("The survey is in progress", "I finished the survey"),
        ("The licence for Figma is valid", "The licence for Figma has expired"),
        ("The gateway is down", "The gateway is back up"),
        ("The lamp is off", "The lamp is on now"),
        ("工单是打开的", "我关闭了工单"),
        ("支付的缺陷还没修", "我把支付的缺陷修好了"),
        ("网关挂了", "网关恢复了"),
        ("许可证有效", "许可证过期了"),
        # who lives with whom
        ("I live with my uncle", "I moved out"),
        ("I live with my uncle", "I live alone now"),
        ("我和父母住在一起", "我搬出来了"),
        # who is single
        ("I'm single", "I have a boyfriend now"),
        ("Igor is single", "Igor has a girlfriend now"),
        ("I have a boyfriend", "I'm single now"),
        ("I have a boyfriend", "I broke up with my boyfriend"),
        ("我单身", "我有男朋友了"),
        ("我有男朋友", "我和男朋友分手了"),
        # what somebody decides for good
        ("I eat liver", "I will no longer eat liver"),
        ("We use Travis", "We will not use Travis any more"),
        # another tool of the kind
        ("We use MariaDB", "We moved to SQLite"),
        ("我们用MariaDB", "我们迁移到SQLite了"),
        # work and study
        ("I work at Initech", "I was laid off by Initech"),
        ("I work at Initech", "I quit my job"),
        ("I study at Oakwood College", "I graduated from Oakwood College"),
        ("我在美团上班", "我被裁了"),
        ("我在武大读书", "我从武大毕业了"),
        # a number or a day
        ("I'm 41", "I'm 42 now"),
        ("We deploy on Mondays", "We deploy on Wednesdays now"),
    ],
)
def test_what_became_of_it_ends_what_was(old: str, new: str) -> None:
    assert verdict(old, new) is SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Traces go to Zipkin", "Traces also go to Tempo now"),
        ("Traces go to Zipkin", "Metrics now go to Tempo"),
        ("Traces go to Zipkin", "Traces will go to Tempo next month"),
        ("Traces go to Zipkin", "We went to Lisbon"),
        ("Ines goes to Oakwood", "Ines went to Elm"),
        ("E-mails are sent to customers", "E-mails are sent to auditors"),
        ("The crate was sent to Cork", "The crate was sent to Sligo"),
        ("告警发到邮箱", "告警现在也发到值班群"),
        ("告警发到邮箱", "我刚把照片发到群里"),
        ("I have a parrot", "My cat died"),
        ("I have a parrot", "Her parrot died"),
        ("I have a parrot", "My parrot almost died"),
        ("I have a phone", "My phone died"),
        ("I have a scooter", "My cousin's scooter was stolen"),
        ("我养了一只鹦鹉", "邻居的鹦鹉死了"),
        ("我有一台相机", "邻居的相机被偷了"),
        ("我订阅了网飞", "网飞我姐姐退订了"),
        ("我订阅了网飞", "网飞我打算退订"),
        ("The ticket is open", "I did not close the ticket"),
        ("The ticket is open", "Please close the ticket"),
        ("The ticket is open", "I almost closed the ticket"),
        ("The ticket is closed", "I opened the ticket"),
        ("Bug 31 is open", "We fixed bug 32"),
        ("The shop is open", "I closed the shop at 9"),
        ("The gateway is up", "The gateway was down yesterday"),
        ("这个缺陷还没修", "那个缺陷修好了"),
        ("工单是打开的", "请关闭工单"),
        ("I live with my uncle", "My sister moved out"),
        ("I live with my uncle", "I'm moving out"),
        ("I live with my wife", "I live with my kids"),
        ("I work in Cork", "I moved out"),
        ("我和父母住在一起", "我打算搬出去"),
        ("I'm single", "My brother has a girlfriend now"),
        ("I'm single", "I don't have a boyfriend"),
        ("I'm single", "I had a girlfriend in college"),
        ("I'm divorced", "I have a boyfriend now"),
        ("I need a single ticket", "I have a boyfriend"),
        ("我单身", "我弟弟有女朋友了"),
        ("I eat liver", "I will no longer eat liver from May"),
        ("I eat liver", "I will stop eating liver"),
        ("We use Travis", "They will no longer use Travis"),
        ("I eat liver", "My aunt will no longer eat liver"),
        ("We use MariaDB", "We moved to Ghent"),
        ("I work at Initech", "Ines got laid off"),
        ("I work at Initech", "I almost quit my job"),
        ("I study at Oakwood College", "My cousin graduated from Oakwood College"),
        ("I'm on floor 3", "I'm 42 now"),
        ("Ines works at Initech", "I quit my job"),
        ("My cousin works at Initech", "I got laid off"),
        ("Ines lives with her uncle", "I moved out"),
        ("Igor studies at Oakwood College", "I graduated"),
        ("小郑在美团上班", "我离职了"),
        ("The choir meets on Mondays", "The board meets on Wednesdays now"),
    ],
)
@pytest.mark.parametrize("similarity", [0.6, 0.9])
def test_what_only_seems_to_end_stays(old: str, new: str, similarity: float) -> None:
    assert verdict(old, new, similarity) is NEW


def test_one_animal_of_several_is_for_people_to_decide() -> None:
    assert verdict("I have two parrots", "My parrot died") is CONFLICT
    assert verdict("我养了两只鹦鹉", "我的鹦鹉死了") is CONFLICT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I love the colour teal", "I love the color teal"),
        ("I live in Cork with two cats", "I live with two cats in Cork"),
        ("我订阅了网飞", "我订阅了Netflix"),
    ],
)
def test_another_spelling_or_order_is_the_same(old: str, new: str) -> None:
    assert verdict(old, new, 0.95) is DUPLICATE
