"""The site as a person meets it: in a browser, wide and narrow, light and dark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

RECORD = "/errors/kda/beta-shape/"
RELEASES = "/errors/triton/out-of-shared-memory/"
PAGES = [
    "/",
    RECORD,
    "/errors/kda/ragged-lengths-accepted/",
    "/errors/",
    "/by-exception/",
    "/by-kind/",
    "/verification/",
    "/gpu-limits/",
    RELEASES,
    "/what-execution-found/",
    "/performance/",
    "/kernel-designs/",
    "/lookup/",
    "/data/",
    "/report/",
    "/no/such/page/",
]


@pytest.fixture(params=[(1280, "light"), (1280, "dark"), (390, "light")], ids=str)
def window(request: pytest.FixtureRequest, browser: Browser, base_url: str) -> Iterator[Page]:
    """A window of a desktop in either scheme, and one of a phone."""
    width, scheme = request.param
    context = browser.new_context(
        base_url=base_url, viewport={"width": width, "height": 900}, color_scheme=scheme
    )
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_accessible_fits_its_window_and_calls_nobody(
    window: Page, path: str, base_url: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415 - only browsers need it

    page = window
    hosts: set[str] = set()
    complaints: list[str] = []
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    page.on(
        "console",
        lambda message: complaints.append(message.text) if message.type == "error" else None,
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(path)
    page.wait_for_load_state("networkidle")
    assert hosts == {urlsplit(base_url).netloc}
    assert [each for each in complaints if "404" not in each] == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    violations = Axe().run(page).response["violations"]
    grave = [
        (each["id"], [node["html"][:120] for node in each["nodes"][:3]])
        for each in violations
        if each["impact"] in ("serious", "critical")
    ]
    assert grave == []


def test_a_title_says_which_page_it_is(page: Page) -> None:
    titles = []
    for path in PAGES[:-1]:  # a page that is not there has no title of its own
        page.goto(path)
        titles.append(page.title())
    names = [title.removesuffix(" - errorkb") for title in titles]
    assert len(set(names)) == len(PAGES) - 1
    assert "errorkb" not in names


def test_before_and_after_can_be_copied_and_the_diff_cannot(page: Page) -> None:
    page.goto(RECORD)
    tabs = page.locator(".admonition.success .tabbed-block")
    assert tabs.count() == 3
    buttons = [
        tabs.nth(index).locator("button[data-md-type=copy], button.md-clipboard").count()
        for index in range(3)
    ]
    assert buttons == [0, 1, 1]


def test_tabs_switch_between_diff_before_and_after(page: Page) -> None:
    page.goto(RECORD)
    blocks = page.locator(".admonition.success .tabbed-block")
    assert blocks.nth(0).is_visible()
    assert not blocks.nth(1).is_visible()
    page.locator(".admonition.success .tabbed-labels label", has_text="Before").click()
    assert blocks.nth(1).is_visible()
    assert not blocks.nth(0).is_visible()


def test_a_permalink_leads_to_the_record(page: Page) -> None:
    page.goto("/e/EKB6120/")
    page.wait_for_url(f"**{RECORD}")
    assert "expected beta shape" in page.locator("h1").inner_text()


@pytest.mark.parametrize(
    "path", ["/errors/EKB6120", "/old/ekb6120.html", "/x/?code=EKB-6120", "/100%/EKB6120/"]
)
def test_the_404_page_recognises_a_code(page: Page, path: str) -> None:
    page.goto(path)
    link = page.locator("#ekb-link")
    link.wait_for(state="visible")
    assert link.inner_text() == "EKB6120"
    link.click()
    page.wait_for_url(f"**{RECORD}")


@pytest.mark.parametrize("path", ["/e/EKB61201/", "/e/", "/e/EKB%3Cimg%20src=x%3E6120/", "/EKB/"])
def test_the_404_page_offers_nothing_where_there_is_no_code(page: Page, path: str) -> None:
    page.goto(path)
    page.wait_for_load_state("networkidle")
    assert page.locator("#ekb-found").is_hidden()
    assert page.locator("article img").count() == 0


def test_a_code_that_no_record_has_is_not_offered(page: Page, site_codes: set[str]) -> None:
    unused = next(code for code in map("EKB{:04}".format, range(10_000)) if code not in site_codes)
    with page.expect_response(re.compile(f"/e/{unused}/")):
        page.goto(f"/x/{unused}/x")
    page.wait_for_load_state("networkidle")
    assert page.locator("#ekb-found").is_hidden()


@pytest.fixture(scope="session")
def site_codes(site: object) -> set[str]:
    """The codes that the built site knows."""
    from pathlib import Path  # noqa: PLC0415 - the fixture's only need

    return {path.name for path in (Path(str(site)) / "e").iterdir()}


def test_a_wide_table_keeps_the_names_of_its_rows_in_view(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto("/gpu-limits/")
    table = page.locator(".ekb-table").first
    table.evaluate("table => { table.scrollLeft = 400 }")
    edge, name = table.bounding_box(), table.locator("tbody th").first.bounding_box()
    assert edge is not None
    assert name is not None
    assert table.evaluate("table => table.scrollLeft") == 400
    assert name["x"] == pytest.approx(edge["x"], abs=1)


def test_a_sentence_in_a_table_has_room(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(RELEASES)
    cell = page.locator("td.ekb-prose").first.bounding_box()
    assert cell is not None
    assert cell["width"] >= 200


def test_search_finds_a_record_by_its_message(page: Page) -> None:
    page.goto("/")
    field = page.locator("input.md-search__input")
    field.click()
    field.fill("expected beta shape")
    field.press("Space")
    result = page.locator(".md-search-result__link").first
    result.wait_for()
    assert RECORD in (result.get_attribute("href") or "")


def test_the_drawer_of_a_phone_leads_to_every_section(browser: Browser, base_url: str) -> None:
    context = browser.new_context(base_url=base_url, viewport={"width": 390, "height": 900})
    page = context.new_page()
    page.goto(RECORD)
    page.locator("label.md-header__button[for=__drawer]").click()
    link = page.locator(".md-nav--primary .md-nav__link", has_text="Verification").first
    link.wait_for(state="visible")
    link.click()
    page.wait_for_url("**/verification/")
    context.close()
