import { STATUS_CODES } from "node:http";

import type { RbacAuthorizer } from "../auth/rbac-authorizer.ts";
import { hasProgram, Shell } from "../exec/shell.ts";
import { simulatedContainer, type SimulatedContainer } from "../exec/simulated-container.ts";
import { readPath, readRecords, readString } from "../store/json-value.ts";
import type { SimObject } from "../store/sim-api.ts";
import { badRequest, forbidden, internalError } from "../store/status-errors.ts";
import { namespaceOf, type ApiRequest } from "./api-request.ts";
import { ChannelSocket, channels, takesClosing } from "./channel-socket.ts";
import { chooseContainer } from "./pod-log.ts";
import { sendText } from "./respond.ts";
import type { SocketUpgrade } from "./socket-upgrade.ts";

/** The first version that asks for the right to create also where a WebSocket is opened by a GET. */
const asksToCreateSince = 35;

interface ExecOptions {
  readonly command: readonly string[];
  readonly isTerminal: boolean;
  readonly hasInput: boolean;
  readonly hasOutput: boolean;
  readonly hasErrors: boolean;
}

/** `pods/NAME/exec`: a command in a container, its streams over a WebSocket. */
export function handleExec(call: ApiRequest, authorizer: RbacAuthorizer): void {
  checkMayCreate(call, authorizer);
  const pod = call.store.live(call.type, namespaceOf(call), call.target.name ?? "");
  const container = chooseContainer(pod, call.query.get("container"));
  if (!readString(pod, "spec.nodeName")) {
    throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
  }
  const { upgrade } = call;
  if (upgrade === undefined) throw badRequest("Upgrade request required");
  const options = execOptions(call.query);
  const problem = refusalOf(pod, container, options);
  if (problem !== undefined) {
    refuse(call, upgrade, problem);
    return;
  }
  const socket = ChannelSocket.accept(upgrade, call.store.minorVersion);
  if (socket === undefined) return;
  greet(socket, options);
  const inside = simulatedContainer(call.store, pod, container);
  const failure = startFailure(inside, options.command);
  if (failure !== undefined) socket.end(internalError(failure).toStatus());
  else run(call, { socket, pod, container, inside, options });
}

function checkMayCreate({ store, target, user }: ApiRequest, authorizer: RbacAuthorizer): void {
  if (store.minorVersion < asksToCreateSince) return;
  const question = {
    verb: "create",
    group: "",
    resource: `${target.resource}/${target.subresource}`,
    ...(target.namespace === undefined ? {} : { namespace: target.namespace }),
    ...(target.name === undefined ? {} : { name: target.name }),
  };
  // The real server gives no reason here.
  if (!authorizer.decide(user, question).allowed)
    throw forbidden({ group: "", resource: target.resource }, target.name ?? "", "");
}

function execOptions(query: URLSearchParams): ExecOptions {
  const isSet = (name: string): boolean => /^(?:1|true)$/iu.test(query.get(name) ?? "");
  const isTerminal = isSet("tty");
  return {
    command: query.getAll("command"),
    isTerminal,
    hasInput: isSet("stdin"),
    hasOutput: isSet("stdout"),
    // A terminal has one output for both.
    hasErrors: isSet("stderr") && !isTerminal,
  };
}

interface Refusal {
  readonly code: number;
  readonly message: string;
}

/** What a kubelet says to a command that it does not even try. */
function refusalOf(pod: SimObject, container: string, options: ExecOptions): Refusal | undefined {
  if (!options.hasInput && !options.hasOutput && !options.hasErrors) {
    return { code: 400, message: "you must specify at least 1 of stdin, stdout, stderr" };
  }
  if (runningId(pod, container) !== undefined) return undefined;
  return { code: 500, message: `container not found ("${container}")` };
}

/** Newer servers take the client before they ask the kubelet, and have to tell it over the WebSocket. */
function refuse(call: ApiRequest, upgrade: SocketUpgrade, { code, message }: Refusal): void {
  if (!takesClosing(upgrade, call.store.minorVersion)) {
    sendText(call.response, { code, type: "text/plain; charset=utf-8", text: message });
    return;
  }
  const reason = code === 500 ? message : `${STATUS_CODES[code] ?? code}: ${message}`;
  ChannelSocket.accept(upgrade, call.store.minorVersion)?.end(
    internalError(`unable to upgrade connection: ${reason}`).toStatus(),
  );
}

/** An empty message on the first channel there is says that the connection stands. */
function greet(socket: ChannelSocket, { hasOutput, hasErrors }: ExecOptions): void {
  const first = hasOutput ? channels.output : hasErrors ? channels.error : channels.status;
  socket.send(first, Buffer.alloc(0));
}

function startFailure(inside: SimulatedContainer, [program]: readonly string[]): string | undefined {
  const failed = "error executing command in container: failed to exec in container: OCI runtime exec failed";
  if (program === undefined) return `${failed}: args must not be empty: unknown`;
  if (hasProgram(inside, program)) return undefined;
  const why = program.includes("/")
    ? `stat ${program}: no such file or directory`
    : "executable file not found in $PATH";
  return `${failed}: exec failed: unable to start container process: exec: "${program}": ${why}: unknown`;
}

interface Execution {
  readonly socket: ChannelSocket;
  readonly pod: SimObject;
  readonly container: string;
  readonly inside: SimulatedContainer;
  readonly options: ExecOptions;
}

function run({ store, clock }: ApiRequest, { socket, pod, container, inside, options }: Execution): void {
  let unsubscribe = (): void => undefined;
  const shell = new Shell({
    container: inside,
    clock,
    isTerminal: options.isTerminal,
    output: {
      out: (bytes) => options.hasOutput && socket.send(channels.output, bytes),
      err: (bytes) => options.hasErrors && socket.send(channels.error, bytes),
      exit: (code) => {
        unsubscribe();
        socket.end(exitStatus(code));
      },
    },
  });
  const startedAs = runningId(pod, container);
  unsubscribe = store.subscribe("pods", ({ type, object }) => {
    if (object.metadata.uid !== pod.metadata.uid) return;
    if (type === "DELETED" || runningId(object, container) !== startedAs) shell.kill();
  });
  socket.listen({
    input: (bytes) => options.hasInput && shell.input(bytes),
    endInput: () => shell.endInput(),
    resize: () => undefined,
    closed: () => {
      unsubscribe();
      shell.kill();
    },
  });
  shell.start(options.command);
  if (!options.hasInput) shell.endInput();
}

/** The run of a container that a command would be in. */
function runningId(pod: SimObject, container: string): string | undefined {
  const all = [
    ...readRecords(pod, "status.containerStatuses"),
    ...readRecords(pod, "status.initContainerStatuses"),
  ];
  const status = all.find((each) => each["name"] === container);
  if (readPath(status, "state.running") === undefined) return undefined;
  return readString(status, "containerID") ?? "";
}

function exitStatus(code: number): object {
  if (code === 0) return { metadata: {}, status: "Success" };
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: exit status ${code}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  };
}
