import { expect, test } from "vitest";

import { allCommands } from "../commands/command-list.ts";
import { describeProgram, type CommandDescription } from "./describe-program.ts";

const program = await describeProgram(allCommands);

function allBelow(command: CommandDescription): CommandDescription[] {
  return command.commands.flatMap((each) => [each, ...allBelow(each)]);
}

const all = allBelow(program).map((command) => [command.path, command] as const);

test.each(all)("%s says what it does, and what each flag does", (_, command) => {
  expect(command.description).toMatch(/^[A-Z][^]+\.$/);
  expect(command.flags.filter(({ description }) => !/^\S.+\S$/.test(description))).toEqual([]);
});

test.each(all.filter(([path]) => path !== "bowline help"))(
  "%s has examples, or is in those above it",
  (path) => {
    const runs = all
      .filter(([above]) => path === above || path.startsWith(`${above} `))
      .flatMap(([, { examples }]) => examples.map(({ run }) => run));
    expect(runs).not.toEqual([]);
    expect(runs.filter((run) => !run.includes("bowline "))).toEqual([]);
  },
);

test.each(all)("%s shares no flag with another of its own", (_, command) => {
  const names = command.flags.flatMap(({ flags }) =>
    flags.split(/[ ,|]+/).filter((word) => word.startsWith("-")),
  );
  expect(names).toEqual([...new Set(names)]);
});

test("no command takes a global flag for something else", () => {
  const longs = (command: CommandDescription): string[] =>
    command.flags.flatMap(({ flags }) => flags.match(/--[a-z-]+|(?<![\w-])-[a-zA-Z]\b/g) ?? []);
  const global = new Set(longs(program));
  const shared = all.flatMap(([path, command]) =>
    longs(command)
      .filter((flag) => global.has(flag))
      .map((flag) => `${path} ${flag}`),
  );
  expect(shared).toEqual([]);
});
