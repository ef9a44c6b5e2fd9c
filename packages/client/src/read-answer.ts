import {
  roles,
  type AgentSessionList,
  type ClusterPlan,
  type CommandCredential,
  type ConsoleInfo,
  type Diagnosis,
  type GraphAnswer,
  type JoinToken,
  type Kind,
  type RevokedAgents,
  type SignInCode,
  type Whoami,
  type WorkloadDiff,
  type WorkloadRevisionContent,
  type WorkloadTree,
} from "@bowline/api";
import { BowlineError, isRecord } from "@bowline/core";

import type { DeletionStep, ObjectList, ReadObject, RecordList, ServerVersion } from "./client.ts";

/*
 * Readers of answers. Only what a client builds on is looked at: the server has checked the rest, and a newer
 * one may say more than this client knows.
 */

export function readObject<K extends Kind>(kind: K, value: unknown): ReadObject<K> {
  return isObjectOf(kind, value) ? value : refuse(`a ${kind.kind}`);
}

export function readObjectList<K extends Kind>(kind: K, value: unknown): ObjectList<K> {
  return isObjectList(kind, value) ? value : refuse(`a list of ${kind.plural}`);
}

/** The metadata is looked at, the records are shown as they are. */
export function readRecordList<Item>(what: string, value: unknown): RecordList<Item> {
  return isRecordList<Item>(value) ? value : refuse(`a list of ${what}`);
}

/** The steps that a deletion would take. */
export function readDeletionSteps(value: unknown): readonly DeletionStep[] {
  return isDeletionPlan(value) ? value.steps : refuse("a plan of the deletion");
}

export function readWhoami(value: unknown): Whoami {
  return isWhoami(value) ? value : refuse("who is signed in");
}

export function readSignInCode(value: unknown): SignInCode {
  return isSignInCode(value) ? value : refuse("a code to sign in with");
}

export function readCommandCredential(value: unknown): CommandCredential {
  return isCommandCredential(value) ? value : refuse("what to sign in with");
}

export function readConsoleInfo(value: unknown): ConsoleInfo {
  return isConsoleInfo(value) ? value : refuse("what there is to know of the console");
}

export function readDiagnosis(value: unknown): Diagnosis {
  return isDiagnosis(value) ? value : refuse("what it knows of itself");
}

export function readAgentSessions(value: unknown): AgentSessionList {
  return isAgentSessions(value) ? value : refuse("the sessions of agents");
}

export function readClusterPlan(value: unknown): ClusterPlan {
  return isClusterPlan(value) ? value : refuse("what would be made for a cluster");
}

export function readJoinToken(value: unknown): JoinToken {
  return isJoinToken(value) ? value : refuse("a join token");
}

export function readTree(value: unknown): WorkloadTree {
  return isTree(value) ? value : refuse("the tree of a workload");
}

export function readDiff(value: unknown): WorkloadDiff {
  return isDiff(value) ? value : refuse("what would become of a workload");
}

export function readRevision(value: unknown): WorkloadRevisionContent {
  return isRevision(value) ? value : refuse("a revision of a workload");
}

/** The frame is looked at, what the question answers is shown as it is. */
export function readGraphAnswer<Data>(value: unknown): GraphAnswer<Data> {
  return isGraphAnswer<Data>(value) ? value : refuse("an answer to a question");
}

export function readRevokedAgents(value: unknown): RevokedAgents {
  return isRevokedAgents(value) ? value : refuse("what was revoked");
}

export function readVersion(value: unknown): ServerVersion {
  return isVersion(value) ? value : refuse("a version");
}

function isSignInCode(value: unknown): value is SignInCode {
  return isRecord(value) && typeof value["code"] === "string" && typeof value["expiresAt"] === "string";
}

function isCommandCredential(value: unknown): value is CommandCredential {
  return isRecord(value) && hasTexts(value, "token", "kind", "name");
}

function isConsoleInfo(value: unknown): value is ConsoleInfo {
  if (!isRecord(value) || typeof value["version"] !== "string") return false;
  return ["string", "undefined"].includes(typeof value["loopbackUrl"]);
}

function isObjectOf<K extends Kind>(kind: K, value: unknown): value is ReadObject<K> {
  if (!isRecord(value) || value["kind"] !== kind.kind) return false;
  const { metadata, spec, status } = value;
  return (
    isRecord(metadata) && hasTexts(metadata, "name", "resourceVersion") && isRecord(spec) && isRecord(status)
  );
}

function isObjectList<K extends Kind>(kind: K, value: unknown): value is ObjectList<K> {
  if (!isRecordList(value) || typeof value.metadata.resourceVersion !== "string") return false;
  return value.items.every((item) => isObjectOf(kind, item));
}

function isRecordList<Item>(value: unknown): value is RecordList<Item> {
  if (!isRecord(value) || !isRecord(value["metadata"]) || !Array.isArray(value["items"])) return false;
  const { cursor, total } = value["metadata"];
  return typeof total === "number" && (cursor === undefined || typeof cursor === "string");
}

function isDeletionPlan(value: unknown): value is { readonly steps: readonly DeletionStep[] } {
  if (!isRecord(value) || !Array.isArray(value["steps"])) return false;
  return value["steps"].every((step) => isRecord(step) && hasTexts(step, "action", "kind", "name"));
}

function isWhoami(value: unknown): value is Whoami {
  return isRecord(value) && hasTexts(value, "user") && roles.some((role) => role === value["role"]);
}

function isDiagnosis(value: unknown): value is Diagnosis {
  return isRecord(value) && hasTexts(value, "version", "now") && isRecord(value["database"]);
}

function isAgentSessions(value: unknown): value is AgentSessionList {
  return isRecord(value) && Array.isArray(value["items"]);
}

function isJoinToken(value: unknown): value is JoinToken {
  return isRecord(value) && hasTexts(value, "token", "expiresAt", "server");
}

function isClusterPlan(value: unknown): value is ClusterPlan {
  if (!isRecord(value) || !hasTexts(value, "provider") || !Array.isArray(value["steps"])) return false;
  const { hourlyCost, expectedSeconds } = value;
  return (
    value["steps"].every((step) => typeof step === "string") &&
    ["string", "undefined"].includes(typeof hourlyCost) &&
    ["number", "undefined"].includes(typeof expectedSeconds)
  );
}

function isRevokedAgents(value: unknown): value is RevokedAgents {
  return isRecord(value) && typeof value["keys"] === "number" && typeof value["joinTokens"] === "number";
}

function isVersion(value: unknown): value is ServerVersion {
  return isRecord(value) && hasTexts(value, "version");
}

function hasTexts(value: Record<string, unknown>, ...names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === "string");
}

function refuse(wanted: string): never {
  throw new BowlineError(
    "ResponseInvalid",
    `The server answered, but not with ${wanted}; check that the address is that of a Bowline server.`,
  );
}

function isTree(value: unknown): value is WorkloadTree {
  return (
    isRecord(value) &&
    typeof value["instance"] === "string" &&
    Array.isArray(value["clusters"]) &&
    value["clusters"].every((cluster) => isRecord(cluster) && Array.isArray(cluster["resources"]))
  );
}

function isDiff(value: unknown): value is WorkloadDiff {
  return (
    isRecord(value) &&
    hasTexts(value, "instance", "cluster") &&
    Array.isArray(value["objects"]) &&
    value["objects"].every((object) => isRecord(object) && hasTexts(object, "kind", "name", "change"))
  );
}

function isRevision(value: unknown): value is WorkloadRevisionContent {
  return isRecord(value) && hasTexts(value, "id", "resolvedAt") && Array.isArray(value["manifests"]);
}

function isGraphAnswer<Data>(value: unknown): value is GraphAnswer<Data> {
  return (
    isRecord(value) &&
    hasTexts(value, "asOf") &&
    typeof value["withheld"] === "number" &&
    typeof value["withheldClusters"] === "number" &&
    Array.isArray(value["clusters"]) &&
    Array.isArray(value["notObserved"]) &&
    value["notObserved"].every(
      (gap) => isRecord(gap) && hasTexts(gap, "cluster", "kind", "since", "state"),
    ) &&
    isRecord(value["data"])
  );
}
