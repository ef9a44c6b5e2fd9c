import { LabelSelector, object } from "@bowline/api";

const described = (description: string) => object(description, LabelSelector.properties);

/** A LabelSelector that says what it is for. */
export function labelSelector(description: string): ReturnType<typeof described> {
  return described(description);
}
