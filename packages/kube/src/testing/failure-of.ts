/** What a promise rejects with, observed from now on, so that it may reject before the test looks at it. */
export function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => new Error("It was expected to fail, and did not."),
    (thrown: unknown) => thrown,
  );
}
