# SPDX-License-Identifier: Apache-2.0
"""The page of orthodict report in a browser: what it draws, and how it can be used."""

import json
import shutil
import time

import numpy as np
import playwright.sync_api
import pytest
from harness import run_command
from report_pages import HOSTILE, contents, make_report, numbers, random_orthogonal, write_model

BROWSER = shutil.which("chromium")


@pytest.fixture(scope="module")
def browser():
    assert BROWSER, "chromium isn't there: scripts/setup installs it"
    with playwright.sync_api.sync_playwright() as player:
        # As root, as in a container, Chromium runs only without its sandbox.
        browser = player.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()


# The bytes of canvases, by way of a copy, whose reading the browser doesn't complain about.
PIXELS = """(canvases) => canvases.map((canvas) => {
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', {willReadFrequently: true});
  copy.drawImage(canvas, 0, 0);
  const bytes = copy.getImageData(0, 0, canvas.width, canvas.height).data;
  let text = '';
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(text);
})"""


class Visit:
    """A page that is open, with everything that it complained about or asked for."""

    def __init__(self, browser, path):
        self.context = browser.new_context(color_scheme="light", viewport={"width": 1200, "height": 900})
        self.page = self.context.new_page()
        self.complaints = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.on("request", lambda request: self.complaints.append(request.url))
        self.page.goto(path.as_uri())
        assert self.complaints[0] == path.as_uri()  # the page itself
        self.show_all()

    def show_all(self):
        """Makes the window as high as the page, so that all that is drawn lazily is drawn."""
        height = self.page.evaluate("document.documentElement.scrollHeight")
        self.page.set_viewport_size({"width": self.page.viewport_size["width"], "height": height})
        self.settle()

    def settle(self):
        self.page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")

    def text(self, selector):
        return self.page.locator(selector).first.inner_text()

    def pixels(self, selector):
        """The colours of the canvases that match, one array each."""
        texts = self.page.eval_on_selector_all(selector, PIXELS)
        return [numbers(text, "u1").reshape(-1, 4) for text in texts]

    def choose(self, level):
        self.page.locator("#kept").fill(str(level))
        self.settle()

    def close(self):
        self.context.close()


@pytest.fixture
def visit(browser):
    visits = []

    def open_page(path):
        visits.append(Visit(browser, path))
        return visits[-1]

    yield open_page
    for opened in visits:
        opened.close()
        assert len(opened.complaints) == 1, opened.complaints[1:]


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    """A page of a model by method auto, with history and confidence."""
    folder = tmp_path_factory.mktemp("vectors")
    options = ("--dimension", 12, "--samples", 2000, "--theta", 0.2, "--noise", 0.05, "--seed", 1)
    run_command("synth", *options, "--output", "y.npy", cwd=folder)
    run_command("fit", "y.npy", "--output", "model.npz", cwd=folder)
    return make_report(folder, "model.npz", "--data", "y.npy", "--items", 4)


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """A page of a model of 8x8 pictures."""
    folder = tmp_path_factory.mktemp("pictures")
    run_command("synth", "--dimension", 64, "--samples", 2000, "--seed", 1, "--output", "y.npy", cwd=folder)
    np.save(folder / "y.npy", np.load(folder / "y.npy").reshape(-1, 8, 8))
    run_command("fit", "y.npy", "--method", "msp:l3", "--output", "model.npz", cwd=folder)
    return make_report(folder, "model.npz", "--data", "y.npy", "--items", 4)


@pytest.fixture(scope="module", params=["vectors", "pictures"])
def either(request):
    return request.getfixturevalue(request.param)


def test_all_sections_are_drawn(visit, either, tmp_path):
    """Light, dark and narrow; screenshots are left for people to look at."""
    report = contents(either)
    page = visit(either)
    assert page.text("h1") == "model.npz"
    for canvas in page.pixels("canvas"):
        assert np.any(canvas != canvas[0]), "a canvas is empty"
    charts = 4 + (report["atoms"]["confidence"] is not None)
    assert page.page.locator(".chart canvas").count() == charts
    assert page.page.locator("[role=option] canvas").count() == report["model"]["atoms"]
    for scheme, width in (("light", 1200), ("dark", 1200), ("light", 360)):
        page.page.emulate_media(color_scheme=scheme)
        page.page.set_viewport_size({"width": width, "height": 900})
        page.show_all()
        assert page.page.evaluate("document.documentElement.scrollWidth") <= width, "the page is too wide"
        page.page.screenshot(path=tmp_path / f"{scheme}-{width}.png")


def test_no_network(visit, vectors):
    """The page's policy forbids what a script might ask for."""
    page = visit(vectors)
    refused = {}
    page.page.on("requestfailed", lambda request: refused.update({request.url: request.failure}))
    blocked = page.page.evaluate("""async () => {
        const seen = [];
        document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective));
        await fetch('http://127.0.0.1:9/').catch(() => {});
        const image = new Image();
        const failed = new Promise((done) => { image.onerror = done; });
        image.src = 'http://127.0.0.1:9/x.png';
        await failed;
        document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.hacked = 1'}));
        await new Promise((done) => setTimeout(done, 50));
        return [...seen, window.hacked];
    }""")
    assert blocked == ["connect-src", "img-src", "script-src-elem", None]
    asked = [text for text in page.complaints if text.startswith("http")]
    assert refused == dict.fromkeys(asked, "csp"), "a request left the page"
    del page.complaints[1:]


def percent(text):
    return float(text.replace("<", "").replace("%", ""))


def test_slider(visit, either):
    """Pictures change with the number of coefficients, errors are those of the report and fall to nothing."""
    page = visit(either)
    items = contents(either)["items"]
    made = ".panels .accent canvas"
    errors, pictures = [], []
    last = len(items["levels"]) - 1
    for level in (0, last // 2, last):
        page.choose(level)
        errors.append([percent(page.text(f".meter.{side} .value")) for side in ("accent", "other")])
        pictures.append(page.pixels(made))
        for side, name in (("accent", "model"), ("other", "pca")):
            exact = 100 * np.array(items[name]["errors"])[:, level]
            shown = [percent(text) for text in page.page.locator(f".panels .{side} .error").all_inner_texts()]
            np.testing.assert_allclose(shown, exact, rtol=0, atol=0.0501)
            assert abs(errors[-1][side == "other"] - np.mean(exact)) <= 0.0501
        kept = items["levels"][level]
        assert page.text(".kept") == f"{kept} of {items['levels'][-1]}"
        assert page.page.locator("#kept").get_attribute("aria-valuetext").startswith(f"{kept} of ")
    for before, after in zip(errors, errors[1:]):
        assert all(a < b for a, b in zip(after, before))
    assert max(errors[-1]) <= 0.001
    for before, after in zip(pictures, pictures[1:]):
        assert all(np.any(a != b) for a, b in zip(before, after))


def test_pictures_are_the_samples(visit, pictures):
    """With all coefficients a picture is its sample, pixel by pixel up to one step of rounding."""
    page = visit(pictures)
    page.choose(len(contents(pictures)["items"]["levels"]) - 1)
    for original, made in zip(page.pixels(".panels .muted canvas"), page.pixels(".panels .accent canvas")):
        assert original.shape == (64, 4) and np.ptp(original[:, 0]) > 10
        assert np.max(np.abs(original.astype(int) - made)) <= 1


def background(page):
    return page.page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_dark_and_light(visit, either):
    """The system's choice holds until the page's own is made; canvases follow both."""
    page = visit(either)
    drawn = "[role=option] canvas, .plot canvas"
    light, light_pixels = background(page), page.pixels(drawn)
    page.page.emulate_media(color_scheme="dark")
    page.settle()
    dark, dark_pixels = background(page), page.pixels(drawn)
    assert light != dark
    assert all(np.any(a != b) for a, b in zip(light_pixels, dark_pixels))
    page.page.get_by_label("Light").check()
    page.settle()
    assert background(page) == light
    assert all(np.array_equal(a, b) for a, b in zip(light_pixels, page.pixels(drawn)))
    page.page.get_by_label("Dark").check()
    page.page.emulate_media(color_scheme="light")
    assert background(page) == dark
    page.page.get_by_label("Auto").check()
    assert background(page) == light


def focused(page):
    return page.page.evaluate("document.activeElement.getAttribute('aria-label')")


def test_gallery_by_keyboard(visit, either):
    page = visit(either)
    tiles = page.page.locator("[role=option]")
    page.page.locator("#sort").focus()
    page.page.keyboard.press("Tab")
    assert focused(page).startswith("Atom 1 by energy")
    grid = page.page.locator(".gallery").evaluate("(box) => getComputedStyle(box).gridTemplateColumns")
    columns, last = len(grid.split()), tiles.count() - 1
    # Arrows at an end stay where they are.
    keys = "ArrowRight ArrowDown ArrowLeft ArrowUp ArrowLeft ArrowUp End ArrowRight Home".split()
    places = [1, 1 + columns, columns, 0, 0, 0, last, last, 0]
    for key, at in zip(keys, places):
        page.page.keyboard.press(key)
        assert focused(page).startswith(f"Atom {at + 1} by energy"), key
        assert page.text(".details h3") == f"Atom {at + 1} by energy"
        selected = tiles.evaluate_all("(all) => all.map((tile) => [tile.tabIndex, tile.ariaSelected])")
        assert [i for i, state in enumerate(selected) if state == [0, "true"]] == [at]
        assert all(state == [-1, "false"] for i, state in enumerate(selected) if i != at)


def test_gallery_by_pointer(visit, either):
    """What is under the pointer is shown, and then again what was chosen."""
    page = visit(either)
    atoms = contents(either)["atoms"]
    tiles = page.page.locator("[role=option]")
    before = page.pixels(".details canvas")[0]
    tiles.nth(3).hover()
    page.settle()
    assert page.text(".details h3") == "Atom 4 by energy"
    assert np.any(page.pixels(".details canvas")[0] != before)
    share = 100 * atoms["energy"][3] / sum(atoms["energy"])
    assert f"Share of energy\n{share:.1f}\u00a0%" in page.text(".details dl")
    assert f"Row in model\n{atoms['order'][3]}" in page.text(".details dl")
    page.page.mouse.move(5, 5)
    assert page.text(".details h3") == "Atom 1 by energy"
    tiles.nth(5).click()
    page.page.mouse.move(5, 5)
    assert page.text(".details h3") == "Atom 6 by energy"


def test_gallery_sorted_otherwise(visit, vectors):
    page = visit(vectors)
    atoms = contents(vectors)["atoms"]
    page.page.locator("#sort").select_option(label="kurtosis")
    best = int(np.argmax(atoms["kurtosis"]))
    first = page.page.locator("[role=option]").first
    assert first.get_attribute("aria-label").startswith(f"Atom {best + 1} by energy")
    assert page.text(".details h3") == f"Atom {best + 1} by energy"


def test_slider_by_keyboard(visit, pictures):
    page = visit(pictures)
    items = contents(pictures)["items"]
    slider = page.page.locator("#kept")
    slider.focus()
    page.page.keyboard.press("Home")
    assert page.text(".kept") == "1 of 64"
    page.page.keyboard.press("ArrowRight")
    assert page.text(".kept") == "2 of 64"
    page.page.keyboard.press("End")
    assert slider.input_value() == str(len(items["levels"]) - 1) and page.text(".kept") == "64 of 64"


def test_numbers_as_tables(visit, vectors):
    """What is drawn can be read too."""
    page = visit(vectors)
    report = contents(vectors)
    for summary in page.page.locator("summary").all():
        summary.click()
    tables = {
        figure.locator("h3").inner_text(): figure.locator(".scroll tbody tr").all_inner_texts()
        for figure in page.page.locator(".chart").all()
    }
    assert len(tables["Coefficients"]) == len(report["coefficients"]["counts"])
    assert len(tables["Objective"]) == len(tables["Movement"]) == len(report["history"]["stage"])
    curve = report["curve"]
    assert len(tables["Energy kept"]) == 12
    row = [float(cell) for cell in tables["Energy kept"][2].replace("\u00a0%", "").split("\t")]
    np.testing.assert_allclose(row, [3, 100 * curve["model"][3], 100 * curve["pca"][3]], rtol=0, atol=0.0501)
    needed = page.page.locator(".needed").nth(1).locator("tbody tr").first.locator("td").all_inner_texts()
    shares = (0.5, 0.8, 0.9, 0.95, 0.99)
    assert [int(text) for text in needed] == [int(np.argmax(np.array(curve["model"]) >= share)) for share in shares]
    options = page.page.locator(".settings tr").all_inner_texts()
    assert "method\tauto" in options and f"iterations\t{report['metadata']['summary']['iterations']}" in options


UNNAMED = """() => [...document.querySelectorAll('a, button, input, select, summary, canvas, [role], [tabindex="0"]')]
  .filter((element) => !element.closest('[aria-hidden=true], [role=img] *') && element.getClientRects().length > 0)
  .filter((element) => {
    const labels = [...(element.labels || [])].map((label) => label.textContent).join('');
    return !(element.getAttribute('aria-label') || labels || element.textContent).trim();
  }).map((element) => element.outerHTML.slice(0, 200))"""

# Every text that is seen, with its colour and that of the nearest background behind it; ratio as WCAG 2 defines it.
PALE = """() => {
  const channels = (text) => text.match(/[\\d.]+/g).map(Number);
  const luminance = (rgb) => rgb.slice(0, 3).map((value) => value / 255)
    .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (; element; element = element.parentElement) {
      const rgb = channels(getComputedStyle(element).backgroundColor);
      if (rgb.length === 3 || rgb[3] === 1) return rgb;
    }
    throw new Error('nothing behind');
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const pale = [];
  let seen = 0;
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || parent.closest('script, noscript')) continue;
    if (parent.getClientRects().length === 0) continue;
    ++seen;
    const [a, b] = [channels(getComputedStyle(parent).color), behind(parent)].map(luminance);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) pale.push([parent.className, walker.currentNode.data, ratio]);
  }
  return [seen, pale];
}"""


def test_everyone_can_read_it(visit, either):
    """Controls have names, text has contrast, headings and landmarks are in order."""
    page = visit(either)
    for summary in page.page.locator("summary").all():
        summary.click()
    assert page.page.evaluate(UNNAMED) == []
    for scheme in ("light", "dark"):
        page.page.emulate_media(color_scheme=scheme)
        seen, pale = page.page.evaluate(PALE)
        assert seen > 100 and pale == [], scheme
    for landmark in ("header", "nav", "main", "footer", "h1"):
        assert page.page.locator(landmark).count() == 1
    levels = page.page.eval_on_selector_all("h1, h2, h3, h4", "(all) => all.map((one) => Number(one.tagName[1]))")
    assert levels[0] == 1 and all(b <= a + 1 for a, b in zip(levels, levels[1:]))
    for link in page.page.locator("a").all():
        assert page.page.locator(link.get_attribute("href")).count() == 1
    assert page.page.locator("html").get_attribute("lang") == "en"


def test_focus_is_seen(visit, vectors):
    """Each stop of the Tab key is outlined, or its label is."""
    page = visit(vectors)
    stops = set()
    for _ in range(40):
        page.page.keyboard.press("Tab")
        stop = page.page.evaluate("""() => {
            const element = document.activeElement;
            const styles = [element, element.nextElementSibling].filter(Boolean).map((part) => getComputedStyle(part));
            return [element.tagName, styles.some((style) => style.outlineStyle !== 'none')];
        }""")
        if stop[0] == "BODY":
            break
        assert stop[1], stop
        stops.add(stop[0])
    assert {"A", "INPUT", "SELECT", "DIV", "SUMMARY"} <= stops


def test_hostile_texts_stay_texts(visit, tmp_path):
    texts = {"method": HOSTILE, "stretch": HOSTILE, HOSTILE: HOSTILE}
    summary = dict.fromkeys(("termination", "message", "dictionary", "samples", "theta"), HOSTILE)
    history = {"stage": [HOSTILE, HOSTILE], "objective": [1, 2], "step": [None, 0.5], "samples": [3, 0]}
    metadata = json.dumps({"version": HOSTILE, "options": texts, "summary": summary, "history": history})
    write_model(tmp_path / "<img src=x>.npz", random_orthogonal(6, seed=0), metadata=metadata)
    np.save(tmp_path / "<b>.npy", np.random.default_rng(0).normal(size=(50, 6)))
    page = visit(make_report(tmp_path, "<img src=x>.npz", "--data", "<b>.npy", "--title", HOSTILE))
    assert page.text("h1") == HOSTILE == page.page.title() and HOSTILE in page.text(".message")
    assert "<img src=x>.npz" in page.text("footer")
    assert page.page.evaluate("[window.hacked, document.querySelectorAll('img, main b').length]") == [None, 0]


@pytest.mark.parametrize("options", [[], ["--shape", "3x2"]], ids=["vectors", "pictures"])
def test_without_data_and_metadata(visit, tmp_path, options):
    """The gallery is there; each other section says why it isn't."""
    write_model(tmp_path / "model.npz", random_orthogonal(6, seed=0))
    page = visit(make_report(tmp_path, "model.npz", *options))
    assert page.page.locator("[role=option] canvas").count() == 6
    for section, words in (
        ("learned", "no information"),
        ("sparsity", "without data"),
        ("reconstruction", "without data"),
        ("iterations", "no history"),
        ("confidence", "doesn’t estimate"),
        ("stability", "single run"),
        ("scan", "without a scan"),
    ):
        assert words in page.text(f"#{section} .empty")


def test_several_runs_and_a_scan(visit, tmp_path):
    """Which atoms come again, as charts and in the gallery, and how many atoms to ask for."""
    rng = np.random.default_rng(5)
    sources = rng.standard_normal((2000, 6))
    sources[:, :3] = rng.laplace(size=(2000, 3))
    np.save(tmp_path / "x.npy", sources @ rng.standard_normal((6, 6)))
    run_command("fit", "x.npy", "--runs", 3, "--output", "model.npz", cwd=tmp_path)
    scan = run_command("scan", "x.npy", "--atoms", "2,4", "--runs", 2, "--json", cwd=tmp_path)
    (tmp_path / "scan.json").write_bytes(scan.stdout)
    path = make_report(tmp_path, "model.npz", "--scan", "scan.json")
    report = contents(path)
    page = visit(path)
    assert page.page.locator("#stability canvas").count() == 2
    stable = report["atoms"]["stable"].count(True)
    assert f"{stable} of 6 atoms stable" in page.text("#stability .note")
    assert page.page.locator("#scan canvas").count() == 1
    assert f"Recommended: {report['scan']['recommended']} atoms" in page.text("#scan figcaption")
    facts = page.text(".details dl")
    assert "Stability" in facts and "Resampled runs with it" in facts


def test_strange_data(visit, tmp_path):
    """One atom; samples that equal the mean; one that does among others; colours; atoms that aren't established."""
    rng = np.random.default_rng(0)
    write_model(tmp_path / "one.npz", np.eye(1))
    np.save(tmp_path / "one.npy", rng.normal(size=(5, 1)))
    visit(make_report(tmp_path, "one.npz", "--data", "one.npy"))

    write_model(tmp_path / "mean.npz", np.eye(3), mean=np.ones(3))
    np.save(tmp_path / "mean.npy", np.ones((5, 3)))
    page = visit(make_report(tmp_path, "mean.npz", "--data", "mean.npy"))
    assert page.page.locator("#sparsity .empty").count() == 2
    assert "equals the model’s mean" in page.text("#reconstruction .empty")

    write_model(tmp_path / "doubt.npz", random_orthogonal(12, seed=0), confidence=np.linspace(0, 1, 12))
    x = rng.normal(size=(20, 12))
    x[::2] = 0
    np.save(tmp_path / "x.npy", x)
    page = visit(make_report(tmp_path, "doubt.npz", "--data", "x.npy", "--shape", "2x2x3"))
    assert page.page.locator(".doubtful").count() == 6
    assert "–" in page.page.locator(".error").all_inner_texts()
    assert any(np.ptp(canvas[0, :3]) > 20 for canvas in page.pixels("[role=option] canvas"))


def test_many_atoms(visit, tmp_path):
    """400 atoms of 400 entries: there and usable soon. It takes a second on two idle cores; tests run on busy ones."""
    write_model(tmp_path / "model.npz", random_orthogonal(400, seed=0))
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(500, 400)))
    path = make_report(tmp_path, "model.npz", "--data", "x.npy")
    start = time.monotonic()
    page = visit(path)
    shown = page.page.locator("[role=option]").count()
    page.page.locator("[role=option]").nth(20).hover()
    assert page.text(".details h3") == "Atom 21 by energy"
    page.choose(0)
    assert page.text(".kept") == "1 of 400"
    page.page.get_by_role("button", name="Show all 400 atoms").click()
    assert shown < page.page.locator("[role=option]").count() == 400
    page.page.keyboard.press("End")
    assert focused(page).startswith("Atom 400 by energy")
    assert time.monotonic() - start < 15
