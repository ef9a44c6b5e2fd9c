/** What writers of other providers share with the one here. */
export { checkHost, checkName, plainName, refused } from "./host-name.ts";
export { plainAddress } from "./ip-address.ts";
export { externalMarkNames, markName, markText, ownerOf, ownersIn, textPieces } from "./owner-mark.ts";
export { areSame, checkSets, describeRecords } from "./record-sets.ts";
