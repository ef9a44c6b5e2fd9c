/** In the place of the process for AWS: answers each second question together with the one before it. */
const asked: { readonly id: number }[] = [];
process.on("message", (question: { readonly id: number }) => {
  asked.push(question);
  if (asked.length < 2) return;
  for (const { id } of asked.splice(0)) process.send?.({ id, output: {} });
});
