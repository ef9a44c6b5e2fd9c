/** Puts text between `<!-- NAME -->` and `<!-- end -->`; what people wrote around it stays. */
export function withBlock(page: string, name: string, text: string): string {
  const block = new RegExp(`(<!-- ${name} -->)[^]*?(<!-- end -->)`);
  if (!block.test(page))
    throw new Error(`It has no place for what is generated: <!-- ${name} --> … <!-- end -->.`);
  return page.replace(block, (_, begin: string, end: string) => `${begin}\n\n${text}\n\n${end}`);
}
