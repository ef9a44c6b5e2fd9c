/** What somebody can do with the demo: commands, each to be copied as it stands. */
export interface Guide {
  readonly sections: readonly GuideSection[];
}

interface GuideSection {
  readonly title: string;
  readonly commands: readonly string[];
}
