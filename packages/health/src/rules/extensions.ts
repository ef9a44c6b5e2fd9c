import { conditionOf, conditionsIn, explanation, type Facts } from "../facts/read-facts.ts";
import { degraded, healthy, progressing, type Verdict } from "../verdict.ts";
import { soundsLike } from "./words.ts";

/** An API that another server answers. */
export function judgeApiService(facts: Facts): Verdict {
  const available = conditionOf(facts, "Available");
  if (available === undefined) return progressing("NotObserved", "Nobody has looked yet whether it answers.");
  if (available.status === "True") return healthy(available.reason || "Available", "The API answers.");
  const message = `The API does not answer: ${explanation(available)}`;
  // Endpoints come and go with pods; a service or an answer that is wrong stays wrong.
  return soundsLike(available.reason) === "Degraded"
    ? degraded(available.reason, message)
    : progressing(available.reason || "Unavailable", message);
}

export function judgeDefinition(facts: Facts): Verdict {
  const names = conditionOf(facts, "NamesAccepted");
  if (names?.status === "False") {
    return degraded(names.reason || "NamesRejected", `Its names are taken: ${explanation(names)}`);
  }
  const established = conditionOf(facts, "Established");
  if (established === undefined || conditionsIn(facts["status"]).length === 0) {
    return progressing("NotObserved", "The API server has not taken it in yet.");
  }
  if (established.status === "True") {
    const structure = conditionOf(facts, "NonStructuralSchema");
    if (structure?.status === "True") {
      return degraded(
        structure.reason || "NonStructuralSchema",
        `Its schema is wrong: ${explanation(structure)}`,
      );
    }
    return healthy("Established", "The API server serves the kind.");
  }
  const message = `The kind is not served: ${explanation(established)}`;
  return established.reason === "Installing"
    ? progressing("Installing", message)
    : degraded(established.reason || "NotEstablished", message);
}
