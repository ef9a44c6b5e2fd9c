/** The value of each metric without labels on a page, by its name. */
export function metricsIn(page: string): ReadonlyMap<string, number> {
  return new Map(
    page.split("\n").flatMap((line) => {
      const [name = "", value = ""] = line.split(" ");
      return /^\w+$/u.test(name) ? [[name, Number(value)] as const] : [];
    }),
  );
}
