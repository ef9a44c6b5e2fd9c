/** What one object may say. Objects of people are far from it; one that is made to hurt is cut, and says so. */
export const factLimits = {
  /** Edges of one object. */
  edges: 4_000,
  parts: 500,
  rules: 2_000,
  /** Of the lists in a rule, of properties that are lists, and of labels. */
  listItems: 1_000,
  /** Characters of a text. Names of Kubernetes have at most 253. */
  text: 1_024,
  /** Characters of all it says, so that its facts fit in one message to the server. */
  characters: 256 * 1_024,
} as const;
