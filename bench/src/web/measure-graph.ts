import type { Page } from "playwright-core";

import type { BenchmarkContext } from "../benchmark.ts";
import { median } from "../median.ts";
import { hubNamespace, userName } from "./hubs.ts";
import { layoutTimes, paintedAfter, paintedAt, watchFrames, type Frames } from "./in-page.ts";
import { middleFrames, type Stage } from "./stage.ts";
import type { HubOrder } from "./web-order.ts";

/** One of the pictures. */
export interface PictureMeasurement {
  /** Until its nodes have places, by a page that has laid out others before. */
  readonly layoutMs: number;
  /** From the order to show another object until it is painted with what is around it. */
  readonly focusMs: number;
  /** The longest between two pictures of the screen from that order on, until it is painted. */
  readonly focusMaxFrameMs: number;
  readonly pan: Frames;
  readonly zoom: Frames;
}

export interface GraphMeasurement {
  readonly some: PictureMeasurement;
  /** With as many nodes as the explorer draws. */
  readonly most: PictureMeasurement;
  /** Of the smaller one, by a page that has just been opened. */
  readonly coldLayoutMs: number;
  /** The same by its address, by somebody who has nothing of the page but its files. */
  readonly loadMs: number;
  /** Of a plain list that is scrolled, in the same turn. */
  readonly plain: Frames;
}

interface Hub extends HubOrder {
  /** So many nodes are drawn; there are more. */
  readonly drawn: number;
}

const laidOut: Hub = { name: "key", users: 260, drawn: 500 };
const ceiling: Hub = { name: "root-key", users: 1_200, drawn: 2_000 };
const panMs = 4_000;
const zoomMs = 4_000;

/** Explores what is around a Secret that many use. */
export async function measureGraph(
  stage: Stage,
  { rounds, progress }: BenchmarkContext,
): Promise<GraphMeasurement> {
  progress(`Secrets that ${laidOut.users} and ${ceiling.users} pods use are made and reported`);
  for (const { name, users } of [laidOut, ceiling]) {
    await stage.source.ask("hub", { name, users } satisfies HubOrder);
  }
  const turns: GraphMeasurement[] = [];
  for (let round = 0; round < rounds; round += 1) {
    progress(`pictures of ${laidOut.drawn} and ${ceiling.drawn} nodes are drawn and moved`);
    turns.push(await measureTurn(stage));
  }
  return {
    some: middlePicture(turns.map(({ some }) => some)),
    most: middlePicture(turns.map(({ most }) => most)),
    coldLayoutMs: median(turns.map(({ coldLayoutMs }) => coldLayoutMs)),
    loadMs: median(turns.map(({ loadMs }) => loadMs)),
    plain: middleFrames(turns.map(({ plain }) => plain)),
  };
}

function middlePicture(turns: readonly PictureMeasurement[]): PictureMeasurement {
  return {
    layoutMs: median(turns.map(({ layoutMs }) => layoutMs)),
    focusMs: median(turns.map(({ focusMs }) => focusMs)),
    focusMaxFrameMs: median(turns.map(({ focusMaxFrameMs }) => focusMaxFrameMs)),
    pan: middleFrames(turns.map(({ pan }) => pan)),
    zoom: middleFrames(turns.map(({ zoom }) => zoom)),
  };
}

async function measureTurn(stage: Stage): Promise<GraphMeasurement> {
  await using visit = await stage.signIn();
  const { page } = visit;
  await page.goto(visit.address(pathOf(laidOut, { focus: nodeOf(laidOut) })), { waitUntil: "commit" });
  const loadMs = await page.evaluate(paintedAt, paintOf(laidOut));
  const coldLayoutMs = await layoutOf(page, laidOut);

  const explore = async (hub: Hub): Promise<PictureMeasurement> => {
    const user = `Pod/${hubNamespace}/${userName(hub.name, 0)}`;
    await page.goto(visit.address(pathOf(hub, { focus: user, peek: idOf(hub) })));
    await page.locator("[data-nodes]").waitFor();
    await page.getByText("What it has to do with").waitFor();
    const painted = page.evaluate(paintedAfter, { event: "click", ...paintOf(hub) });
    await page.getByRole("button", { name: "Put into the middle" }).click();
    const { paintMs, maxFrameMs } = await painted;
    const layoutMs = await layoutOf(page, hub);
    const pan = await panned(page);
    return { layoutMs, focusMs: paintMs, focusMaxFrameMs: maxFrameMs, pan, zoom: await zoomed(page) };
  };
  const some = await explore(laidOut);
  const most = await explore(ceiling);
  const list = await stage.openPlainList();
  const plain = await list.evaluate(watchFrames, { selector: "#list", durationMs: panMs, stepPx: 84 });
  await list.context().close();
  return { some, most, coldLayoutMs, loadMs, plain };
}

function pathOf({ drawn }: Hub, search: { readonly focus: string; readonly peek?: string }): string {
  const query = new URLSearchParams({ cluster: "edge", budget: String(drawn), ...search });
  return `/graph?${query.toString()}`;
}

function nodeOf({ name }: Hub): string {
  return `Secret/${hubNamespace}/${name}`;
}

/** As the page tells nodes of all clusters apart. */
function idOf(hub: Hub): string {
  return `edge ${nodeOf(hub)}`;
}

/** Where its card is once the picture is the one that was asked for. */
function paintOf(hub: Hub): { readonly selector: string; readonly text: string } {
  return { selector: `[data-nodes="${hub.drawn}"] [data-id="${idOf(hub)}"]`, text: hub.name };
}

/** Of the picture that is shown, once it is there. */
async function layoutOf(page: Page, { drawn }: Hub): Promise<number> {
  await page.locator(`[data-nodes="${drawn}"]`).waitFor();
  const time = (await page.evaluate(layoutTimes, drawn)).at(-1);
  if (time === undefined) throw new Error(`The picture of ${drawn} nodes was not laid out.`);
  return time;
}

/** Pulls the picture up and then down, hand over hand, by its edge. */
async function panned(page: Page): Promise<Frames> {
  const box = await page.locator(".react-flow__pane").boundingBox();
  if (box === null) throw new Error("There is no picture.");
  const [x, top, bottom] = [box.x + 8, box.y + 8, box.y + box.height - 8];
  const pull = async (fromY: number, toY: number): Promise<void> => {
    const untilMs = Date.now() + panMs / 2;
    while (Date.now() < untilMs) {
      await page.mouse.move(x, fromY);
      await page.mouse.down();
      await page.mouse.move(x, toY, { steps: 30 });
      await page.mouse.up();
    }
  };
  const viewport = page.locator(".react-flow__viewport");
  const before = await viewport.getAttribute("style");
  const frames = page.evaluate(watchFrames, { selector: "body", durationMs: panMs, stepPx: 0 });
  await pull(bottom, top);
  if ((await viewport.getAttribute("style")) === before) throw new Error("The picture does not move.");
  await pull(top, bottom);
  return frames;
}

/** Turns the wheel in the middle of the picture: out until it is as small as can be, in again, and so on. */
async function zoomed(page: Page): Promise<Frames> {
  const box = await page.locator(".react-flow__pane").boundingBox();
  if (box === null) throw new Error("There is no picture.");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const turn = async (deltaY: number, untilMs: number): Promise<void> => {
    while (Date.now() < untilMs) await page.mouse.wheel(0, deltaY);
  };
  const viewport = page.locator(".react-flow__viewport");
  const before = await viewport.getAttribute("style");
  const startMs = Date.now();
  const frames = page.evaluate(watchFrames, { selector: "body", durationMs: zoomMs, stepPx: 0 });
  for (let half = 0; half < 4; half += 1) {
    await turn(half % 2 === 0 ? 40 : -40, startMs + ((half + 1) * zoomMs) / 4);
    if (half === 0 && (await viewport.getAttribute("style")) === before) {
      throw new Error("The picture does not get smaller.");
    }
  }
  return frames;
}
