import { expect, test } from "vitest";

import { describeProgram, type CommandDescription } from "./describe-program.ts";

const program = await describeProgram();

function allBelow(command: CommandDescription): CommandDescription[] {
  return command.commands.flatMap((each) => [each, ...allBelow(each)]);
}

const all = allBelow(program).map((command) => [command.path, command] as const);

test.each(all.filter(([path]) => path !== "bowline help"))(
  "%s has all that a page and its help need",
  (_, command) => {
    const { description, flags, examples, path, commands } = command;
    expect(description).toMatch(/^[A-Z][^]+\.$/);
    for (const flag of flags) expect(flag.description, flag.flags).toMatch(/^\S.+[^.\s]$/);
    if (commands.length === 0 || path.split(" ").length === 2)
      expect(examples.length, path).toBeGreaterThan(0);
    for (const example of examples) expect(example.run).toContain("bowline ");
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
