/** The messages of a stream by the names they have in the schema, so that an order cannot forget one or make one up. */
export type Said<Stream extends { readonly message: { readonly case: string | undefined } }> = Exclude<
  Stream["message"]["case"],
  undefined
>;
