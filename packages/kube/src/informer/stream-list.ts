import { BowlineError, type Clock } from "@bowline/core";
import { accept, listQuery } from "../client/client-options.ts";
import { openStream } from "../client/kube-requester.ts";
import { describeTarget, resourcePath } from "../client/resource-path.ts";
import { ListStream, type ListEnvelope } from "../decode/list-stream.ts";
import type { ObjectDecoder } from "../decode/object-decoder.ts";
import type { KubeObject, ResourceRef } from "../object.ts";
import type { Transport } from "../transport.ts";
import { StreamGuard } from "../watch/stream-guard.ts";

/** The part of a resource that is meant, by lists and watches alike. */
export interface Selection {
  /** Left out: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

interface StreamListOptions extends Selection {
  /** Left out: everything in one answer, which cannot expire on the way. */
  readonly pageSize?: number | undefined;
  readonly metadataOnly: boolean;
  readonly decoder: ObjectDecoder;
  readonly maxItemBytes: number;
  readonly silenceMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onObject: (object: KubeObject) => void;
}

/**
 * Lists a resource and hands its objects on one by one while they arrive; what is held is one object, never a page.
 * Resolves to the version to watch from.
 *
 * It asks without a resourceVersion, that is for the newest state. `resourceVersion=0` would be cheaper for the server
 * (any state its cache has, in one piece), but may be older than what this client has seen already from another
 * replica of the API server, and then objects would come back from the dead.
 */
export async function streamList(
  transport: Transport,
  resource: ResourceRef,
  options: StreamListOptions,
): Promise<string> {
  let continueToken: string | undefined;
  for (;;) {
    const page = await streamPage(transport, resource, options, continueToken);
    if (page.continueToken === undefined) return checkedVersion(page, resource);
    if (page.continueToken === continueToken) {
      throw new BowlineError(
        "ResponseInvalid",
        `The list of ${resource.plural} comes back to the same page.`,
      );
    }
    continueToken = page.continueToken;
  }
}

async function streamPage(
  transport: Transport,
  resource: ResourceRef,
  options: StreamListOptions,
  continueToken: string | undefined,
): Promise<ListEnvelope> {
  const { namespace, labelSelector, fieldSelector, pageSize, clock, silenceMs, signal } = options;
  const subject = describeTarget(resource, { namespace });
  const query = listQuery({
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(pageSize === undefined ? {} : { limit: pageSize }),
    ...(continueToken === undefined ? {} : { continueToken }),
  });
  const guard = new StreamGuard({ clock, silenceMs, signal, subject: `the list of ${subject}` });
  const list = new ListStream({
    subject,
    maxItemBytes: options.maxItemBytes,
    onItem: (bytes) => options.onObject(options.decoder.decodeItem(bytes)),
  });
  try {
    const response = await openStream(transport, {
      action: `list ${subject}`,
      path: resourcePath(resource, { namespace }, query),
      headers: { accept: options.metadataOnly ? accept.metadataList : accept.json },
      signal: guard.signal,
    });
    for await (const chunk of guard.read(response.body)) list.push(chunk);
    return list.end();
  } catch (thrown) {
    throw guard.failure(thrown);
  } finally {
    guard.close();
  }
}

function checkedVersion({ resourceVersion }: ListEnvelope, resource: ResourceRef): string {
  if (resourceVersion !== "") return resourceVersion;
  throw new BowlineError(
    "ResponseInvalid",
    `The list of ${resource.plural} has no resourceVersion to watch from.`,
  );
}
