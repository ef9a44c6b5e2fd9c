import { asRecord, isRecord } from "@bowline/core";

import { normaliseUrl } from "../model/repository-url.ts";

export type WebhookProvider = "github" | "gitlab" | "gitea" | "bitbucket" | "plain";

interface Payload {
  readonly event: "push" | "ping";
  readonly repositories: readonly string[];
  readonly refs: readonly string[];
}

interface Received {
  /** The header by which the sender was known. */
  readonly event: string;
  readonly contentType: string;
  readonly body: Buffer;
}

/** What one sender's body says: anything at all may be in these lists. */
interface Said {
  readonly event: "push" | "ping" | undefined;
  readonly urls: readonly unknown[];
  readonly refs: readonly unknown[];
}

type Fields = Readonly<Record<string, unknown>>;

const maxUrls = 16;
const maxRefs = 100;
const fullName = /^refs\/[^\s\p{Cc}]{1,250}$/u;

/** Reads the body of a sender who knows the secret, or says why there is nothing in it. */
export function readPayload(
  provider: WebhookProvider,
  received: Received,
): Payload | "unreadable" | "notPush" | "noRepository" {
  const body = parseBody(received);
  if (body === undefined) return "unreadable";
  const said = readers[provider](body, received.event);
  if (said.event === undefined) return "notPush";
  const repositories = [...new Set(said.urls.map(urlOf).filter((url) => url !== undefined))].slice(
    0,
    maxUrls,
  );
  if (repositories.length === 0 && said.event === "push") return "noRepository";
  const refs = said.refs.filter((ref) => typeof ref === "string").filter((ref) => fullName.test(ref));
  return { event: said.event, repositories, refs: [...new Set(refs)].slice(0, maxRefs) };
}

const readers: Readonly<Record<WebhookProvider, (body: Fields, event: string) => Said>> = {
  github: readGithub,
  gitea: readGithub,
  gitlab: readGitlab,
  bitbucket: readBitbucket,
  plain: readPlain,
};

function readGithub(body: Fields, event: string): Said {
  const { clone_url, ssh_url, git_url, html_url, url } = asRecord(body["repository"]);
  return {
    event: event === "push" || event === "ping" ? event : undefined,
    urls: [clone_url, ssh_url, git_url, html_url, url],
    refs: [body["ref"]],
  };
}

function readGitlab(body: Fields): Said {
  const kind = body["object_kind"] ?? body["event_name"];
  const { git_http_url, git_ssh_url, web_url } = asRecord(body["project"]);
  return {
    event: kind === "push" || kind === "tag_push" ? "push" : undefined,
    urls: [git_http_url, git_ssh_url, web_url],
    refs: [body["ref"]],
  };
}

/** Of the cloud and of a data center, which have nothing in common but the name. */
function readBitbucket(body: Fields, event: string): Said {
  const repository = asRecord(body["repository"]);
  const links = asRecord(repository["links"]);
  const html = asRecord(links["html"])["href"];
  const clones = listOf(links["clone"]).map((link) => asRecord(link)["href"]);
  const changes = event === "repo:push" ? listOf(asRecord(body["push"])["changes"]) : listOf(body["changes"]);
  const pushes = ["repo:push", "repo:refs_changed"];
  return {
    event: pushes.includes(event) ? "push" : event === "diagnostics:ping" ? "ping" : undefined,
    urls: [html, sshOf(html), ...clones],
    refs: changes
      .map(asRecord)
      .map((change) => cloudRef(change) ?? asRecord(change["ref"])["id"] ?? change["refId"]),
  };
}

function cloudRef(change: Fields): string | undefined {
  const { type, name } = asRecord(change["new"] ?? change["old"]);
  if (typeof name !== "string") return undefined;
  return type === "branch" ? `refs/heads/${name}` : `refs/tags/${name}`;
}

/** The cloud does not say how to fetch; the address for people has all that it takes. */
function sshOf(html: unknown): string | undefined {
  const url = typeof html === "string" ? URL.parse(html) : null;
  return url === null ? undefined : `ssh://git@${url.hostname}${url.pathname}`;
}

function readPlain(body: Fields): Said {
  return {
    event: "push",
    urls: [body["repository"], ...listOf(body["repositories"])],
    refs: [body["ref"], ...listOf(body["refs"])],
  };
}

function parseBody({ contentType, body }: Received): Fields | undefined {
  const text = body.toString("utf8");
  const isForm = contentType.startsWith("application/x-www-form-urlencoded");
  try {
    const parsed: unknown = JSON.parse(isForm ? (new URLSearchParams(text).get("payload") ?? "") : text);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Some senders put a user name into addresses for HTTPS; it is no part of what repository it is. */
function urlOf(value: unknown): string | undefined {
  return typeof value === "string" ? normaliseUrl(value.replace(/^(https?:\/\/)[^/@]*@/iu, "$1")) : undefined;
}
