import { withQuery, type BadRequest } from "./bad-request.ts";
import type { Action } from "./actions.ts";
import type { Header } from "../wire-request.ts";

const refused = { status: 400, code: "InvalidArgument" } as const;

function isWrite({ method }: Action): boolean {
  return method !== "GET";
}

function isList({ name }: Action): boolean {
  return name === "list";
}

function isWatch({ name }: Action): boolean {
  return name === "watch";
}

/** A parameter that the action has, with a value that it cannot have. */
function badValue(on: (action: Action) => boolean, parameter: Header, message?: RegExp): BadRequest {
  const [name, value] = parameter;
  return {
    what: `${name}=${value.slice(0, 40)}`,
    on,
    change: (target) => withQuery(target, parameter),
    ...refused,
    message: message ?? new RegExp(`\\b${name}\\b`, "u"),
  };
}

/** Addresses that say what cannot be said. */
export const badAddresses: readonly BadRequest[] = [
  {
    what: "an unknown parameter",
    on: () => true,
    change: (target) => withQuery(target, ["force", "true"]),
    ...refused,
    message: /«force»/u,
  },
  {
    what: "a mistyped parameter",
    on: (action) => isList(action) || isWatch(action),
    change: (target) => withQuery(target, ["labelSelektor", "a"]),
    ...refused,
    message: /did you mean «labelSelector»\?/u,
  },
  {
    what: "a parameter that is there twice",
    on: isWrite,
    change: (target) => withQuery(target, ["dryRun", "true"], ["dryRun", "true"]),
    ...refused,
    message: /dryRun is there more than once/u,
  },
  {
    what: "a parameter named __proto__",
    on: () => true,
    change: (target) => withQuery(target, ["__proto__", "1"]),
    ...refused,
    message: /__proto__/u,
  },
  ...["2", "yes", "null", "%00"].map((value) => badValue(isWrite, ["dryRun", value])),
  badValue(({ verb }) => verb === "delete", ["cascade", "maybe"]),
  badValue(isList, ["watch", "maybe"]),
  ...["0", "-1", "1001", "1e2", "ten", "", "9".repeat(400)].map((value) =>
    badValue(isList, ["limit", value]),
  ),
  ...["nonsense", "W10", "%00", "a".repeat(2_000)].map((value) => badValue(isList, ["cursor", value])),
  ...["a%3D%3Db%3D", "a+in+b", "-%3Da", "a%3Db,", "(", "%00"].map((value) =>
    badValue(
      (action) => isList(action) || isWatch(action),
      ["labelSelector", value],
      /label selector|labelSelector/u,
    ),
  ),
  ...["a", "spec.nothing%3Da", "metadata.name", "metadata.name%3Da%3Db", "%00%3D"].map((value) =>
    badValue(
      (action) => isList(action) || isWatch(action),
      ["fieldSelector", value],
      /field selector|selected by|fieldSelector/u,
    ),
  ),
  badValue(
    (action) => isList(action) || isWatch(action),
    ["labelSelector", "a".repeat(5_000)],
    /longer than 4096/u,
  ),
  badValue(isList, ["resourceVersion", "1"], /watch=true only/u),
  ...["latest", "-1", "1.5", "99999999999999999999"].map((value) =>
    badValue(isWatch, ["resourceVersion", value]),
  ),
  badValue(isWatch, ["limit", "10"], /no pages/u),
  {
    what: "a resourceVersion from the future",
    on: isWatch,
    change: (target) => withQuery(target, ["resourceVersion", "999999999"]),
    status: 410,
    code: "Expired",
    message: /999999999/u,
  },
  {
    what: "an address that is too long",
    on: () => true,
    change: (target) => withQuery(target, ["labelSelector", "a".repeat(33_000)]),
    status: 414,
    code: "AddressTooLong",
  },
  {
    what: "a percent sign that escapes nothing",
    on: ({ path }) => path !== "",
    change: ({ request }) => ({ ...request, path: request.path.replace(/sample|fresh/u, "%zz") }),
    status: 400,
    code: "BadRequest",
    message: /percent sign/u,
  },
  {
    what: "bytes that are no UTF-8",
    on: ({ path }) => path !== "",
    change: ({ request }) => ({ ...request, path: request.path.replace(/sample|fresh/u, "%ff") }),
    status: 400,
    code: "BadRequest",
  },
  {
    what: "a method that the address does not take",
    on: () => true,
    change: ({ request }) => ({ ...request, method: "PROPFIND" }),
    status: 405,
    code: "MethodNotSupported",
    message: /^PROPFIND is not possible here/u,
  },
];
