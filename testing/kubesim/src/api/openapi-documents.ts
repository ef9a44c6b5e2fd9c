import type { IncomingMessage, ServerResponse } from "node:http";

import {
  encodeOpenApiV2,
  openApiV2,
  openApiV2ProtobufAccept,
  openApiV2ProtobufType,
  openApiV3,
  openApiV3Index,
  type ServedType,
} from "../openapi/index.ts";
import type { ResourceRegistry } from "../store/resource-registry.ts";
import { schemaOf } from "../store/schema-of.ts";
import { unknownResource } from "../store/status-errors.ts";
import { acceptsJson, notAcceptable } from "./accept.ts";
import { sendJson, sendText } from "./respond.ts";
import type { ServerVersion } from "./server-version.ts";

const v3Since = 24;

/** Serves `/openapi/v2` and `/openapi/v3`. The documents are written when somebody asks, and again when kinds change. */
export class OpenApiDocuments {
  readonly #registry: ResourceRegistry;
  readonly #version: ServerVersion;
  #builtFor = -1;
  #v2: Readonly<Record<string, unknown>> | undefined;
  #v2Protobuf: Buffer | undefined;
  #v3: ReturnType<typeof openApiV3> | undefined;

  constructor(registry: ResourceRegistry, version: ServerVersion) {
    this.#registry = registry;
    this.#version = version;
  }

  send(request: IncomingMessage, response: ServerResponse, path: string): void {
    if (this.#builtFor !== this.#registry.changes) this.#forget();
    if (path === "/openapi/v2") this.#sendV2(request, response);
    else if (path.startsWith("/openapi/v3") && this.#version.minor >= v3Since) this.#sendV3(response, path);
    else throw unknownResource();
  }

  #sendV2(request: IncomingMessage, response: ServerResponse): void {
    this.#v2 ??= openApiV2(this.#servedTypes(), this.#version.gitVersion);
    const { accept } = request.headers;
    if (accept?.includes(openApiV2ProtobufAccept)) {
      this.#v2Protobuf ??= Buffer.from(encodeOpenApiV2(this.#v2));
      sendText(response, { code: 200, type: openApiV2ProtobufType, text: this.#v2Protobuf });
    } else if (acceptsJson(accept)) {
      sendJson(response, 200, this.#v2);
    } else {
      throw notAcceptable();
    }
  }

  #sendV3(response: ServerResponse, path: string): void {
    this.#v3 ??= openApiV3(this.#servedTypes(), this.#version.gitVersion);
    const name = path.slice("/openapi/v3".length).replace(/^\//, "");
    const document = name === "" ? openApiV3Index(this.#v3) : this.#v3.get(name);
    if (!document) throw unknownResource();
    sendJson(response, 200, document);
  }

  #servedTypes(): ServedType[] {
    return this.#registry.types().flatMap((type) =>
      type.served.flatMap((place) => {
        const schema = schemaOf(type, place);
        const { kind, resource: plural, namespaced } = type;
        return schema ? [{ ...place, kind, plural, namespaced, schema }] : [];
      }),
    );
  }

  #forget(): void {
    this.#builtFor = this.#registry.changes;
    this.#v2 = undefined;
    this.#v2Protobuf = undefined;
    this.#v3 = undefined;
  }
}
