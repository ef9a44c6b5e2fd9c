/**
 * What to do about the reasons of `docs/reference/workload-reasons.md`, which has more about each; a test holds both
 * together. Reasons of Kubernetes, such as ImagePullBackOff, speak for themselves.
 */
export const adviceByReason: Readonly<Record<string, string>> = {
  RenderFailed: "The message names the field: mend the manifests or the parameters.",
  UnknownKind:
    "Install what brings the kind, add its definition to the manifests, or write the version that the message names.",
  OwnedByOther: "Take the object out of one of the two instances, or move it with bowline.dev/adopt.",
  FieldConflict:
    "The message names manager and fields: take them out of the manifest, name them under ignore, or change conflicts.",
  ImmutableField: "Run the command in the message, or allow it with bowline.dev/recreate: allowed.",
  Invalid: "The cluster refuses what the object says; the message is its own.",
  Forbidden: "Add the rule in the message to a Role or ClusterRole, or let somebody else own the instance.",
  NotGranted: "Grant it, or have somebody who has a grant write or delete the instance.",
  NamespaceMissing: "Create the namespace, or add it to the manifests.",
  NamespaceTerminating: "Wait; look at the finalizers of what is left in the namespace.",
  NotEstablished: "Wait; where it stays so, another definition has the same names.",
  QuotaExceeded: "Raise the ResourceQuota of the namespace, or ask for less.",
  AdmissionDenied: "A webhook or a policy refuses it; the message has its reason. Change the object.",
  TooLarge: "The object is larger than the cluster takes: divide it.",
  Refused: "The cluster refuses it; the message is its own.",
  Unavailable: "Nothing: it is tried again.",
  Recreating: "Wait: it is being deleted to be made anew.",
  BeingDeleted: "Look at whoever should remove the finalizers that the message names.",
  WaitingForHealth: "Look at the objects of earlier waves that the message names.",
  WaitingForHook: "Wait, or look at the hook that the message names.",
  HookRunning: "Wait: the hook runs.",
  HookFailed:
    "Look at its logs with the command in the message, then deploy a new revision, or patch the hook in the overrides of the instance.",
  HookLost: "Give the hook a longer ttlSecondsAfterFinished, and deploy a new revision.",
  PruneHeld: "More would be deleted than the limit: approve it, if that is meant.",
  PruneWaits: "It is deleted once everything else is applied: mend what has failed.",
  PruneDisabled: "Nothing: it stays because of its annotation, or because prune is off.",
  PruneProtected: "Delete it yourself, or annotate it with bowline.dev/prune: allowed.",
  Replaced: "Nothing: somebody has made another object of the same name, and Bowline has let go of it.",
  Moved: "Nothing: its label names another instance, or none, and Bowline has let go of it.",
  Retained: "Nothing: the instance is gone, and it stays, as deletionPolicy says.",
};

/** Reasons of an instance as a whole. */
const adviceForInstance: Readonly<Record<string, string>> = {
  NoClusters: "No cluster matches the placement: change it, or label a cluster.",
  ClusterNotFound: "Join a cluster of that name, or take it out of the placement.",
  DefinitionNotFound: "Make the definition, or name another one.",
  NotVerified: "Go back to a revision that somebody signed, or follow the definition again.",
  DefinitionNotReady: "Look at the definition under Sources.",
  InvalidParameters: "The message names the parameters: give them values that fit.",
  WaitingForApproval: "Look at what would change, then approve the revision.",
  PlacementHeld: "Approve it, if it is meant to leave all of its clusters.",
  WaitingForAgent: "Nothing, if the cluster is meant to be offline: it goes on when its agent connects.",
};

/** A sentence that says what to do, if there is one. */
export function adviceFor(reason: string): string | undefined {
  if (Object.hasOwn(adviceByReason, reason)) return adviceByReason[reason];
  return Object.hasOwn(adviceForInstance, reason) ? adviceForInstance[reason] : undefined;
}
