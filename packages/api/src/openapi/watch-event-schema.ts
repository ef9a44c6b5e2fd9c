/** The data of the events of a watch, for items that are described under a name. */
export function watchEventSchema(itemName: string): object {
  return {
    description: "The data of one server-sent event.",
    type: "object",
    required: ["type"],
    properties: {
      type: { type: "string", enum: ["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"] },
      object: { $ref: `#/components/schemas/${itemName}` },
      metadata: {
        description: "Of a bookmark: everything up to this resourceVersion has been sent.",
        type: "object",
        properties: { resourceVersion: { type: "string" } },
        required: ["resourceVersion"],
      },
      error: { $ref: "#/components/schemas/Error/properties/error" },
    },
  };
}
