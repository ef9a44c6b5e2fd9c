import type { Page } from "playwright-core";

import type { BenchmarkContext } from "../benchmark.ts";
import { median } from "../median.ts";
import { hubNamespace, userName } from "./hubs.ts";
import { layoutTimes, paintedAfter, paintedAt, watchFrames, type Frames } from "./in-page.ts";
import { middleFrames, type Stage } from "./stage.ts";
import type { HubOrder } from "./web-order.ts";

export interface GraphMeasurement {
  /** By a page that has laid out others before, and by one that has just been opened. */
  readonly layoutMs: number;
  readonly coldLayoutMs: number;
  /** From the order to show another object until it is painted with what is around it. */
  readonly focusMs: number;
  /** The same by its address, by somebody who has nothing of the page but its files. */
  readonly loadMs: number;
  readonly pan: Frames;
  /** With as many nodes as the explorer draws. */
  readonly ceilingPaintMs: number;
  readonly ceilingPan: Frames;
}

interface Hub extends HubOrder {
  /** So many nodes are drawn; there are more. */
  readonly drawn: number;
}

const laidOut: Hub = { name: "key", users: 260, drawn: 500 };
const ceiling: Hub = { name: "root-key", users: 600, drawn: 1_000 };
const panMs = 4_000;

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
  const middle = (of: (turn: GraphMeasurement) => number): number => median(turns.map(of));
  return {
    layoutMs: middle(({ layoutMs }) => layoutMs),
    coldLayoutMs: middle(({ coldLayoutMs }) => coldLayoutMs),
    focusMs: middle(({ focusMs }) => focusMs),
    loadMs: middle(({ loadMs }) => loadMs),
    pan: middleFrames(turns.map(({ pan }) => pan)),
    ceilingPaintMs: middle(({ ceilingPaintMs }) => ceilingPaintMs),
    ceilingPan: middleFrames(turns.map(({ ceilingPan }) => ceilingPan)),
  };
}

async function measureTurn(stage: Stage): Promise<GraphMeasurement> {
  await using visit = await stage.signIn();
  const { page } = visit;
  await page.goto(visit.address(pathOf(laidOut, { focus: nodeOf(laidOut) })), { waitUntil: "commit" });
  const loadMs = await page.evaluate(paintedAt, paintOf(laidOut));
  const coldLayoutMs = await layoutOf(page, laidOut);

  const explore = async (hub: Hub): Promise<number> => {
    const user = `Pod/${hubNamespace}/${userName(hub.name, 0)}`;
    await page.goto(visit.address(pathOf(hub, { focus: user, peek: idOf(hub) })));
    await page.locator("[data-nodes]").waitFor();
    await page.getByText("What it has to do with").waitFor();
    const painted = page.evaluate(paintedAfter, { event: "click", ...paintOf(hub) });
    await page.getByRole("button", { name: "Put into the middle" }).click();
    return painted;
  };
  const focusMs = await explore(laidOut);
  const layoutMs = await layoutOf(page, laidOut);
  const pan = await panned(page);
  const ceilingPaintMs = await explore(ceiling);
  const ceilingPan = await panned(page);
  return { layoutMs, coldLayoutMs, focusMs, loadMs, pan, ceilingPaintMs, ceilingPan };
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
