/** Where requests go, and as whom. */
export interface RequestTarget {
  readonly port: number;
  readonly token: string;
}

export interface RequestBody {
  readonly method: "POST" | "PATCH";
  readonly path: string;
  readonly contentType: string;
  readonly body: object;
}

export function getRequest(target: RequestTarget, path: string): string {
  return `GET ${path} HTTP/1.1\r\n${commonHeaders(target)}\r\n\r\n`;
}

export function bodyRequest(target: RequestTarget, { method, path, contentType, body }: RequestBody): string {
  const text = JSON.stringify(body);
  const headers = `content-type: ${contentType}\r\ncontent-length: ${Buffer.byteLength(text)}`;
  return `${method} ${path} HTTP/1.1\r\n${commonHeaders(target)}\r\n${headers}\r\n\r\n${text}`;
}

function commonHeaders({ port, token }: RequestTarget): string {
  return `host: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}`;
}
