/** As clouds count a month. */
const hoursPerMonth = 730;

/** What something costs by the hour and by the month, of `0.34 USD`; as it is where it is written in another way. */
export function costWords(hourlyCost: string): string {
  const { amount, currency } =
    /^(?<amount>\d+(?:\.\d+)?) (?<currency>[A-Z]{3})$/u.exec(hourlyCost)?.groups ?? {};
  if (amount === undefined || currency === undefined) return `${hourlyCost} an hour`;
  const month = (Number(amount) * hoursPerMonth).toFixed(2);
  return `${amount} ${currency} an hour, ${month} ${currency} a month of ${hoursPerMonth} hours`;
}
