/** How much of what ran somewhere failed there. */
export interface Rate {
  readonly failed: number;
  readonly ran: number;
}

/** For one doubt in twenty, each side. */
const Z2 = 1.645 ** 2;

/** The share that failures so far leave room for, from and to (Wilson's interval): two of two prove little. */
function range({ failed, ran }: Rate): { readonly from: number; readonly to: number } {
  const share = failed / ran;
  const half = Math.sqrt(Z2 * ((share * (1 - share)) / ran + Z2 / (4 * ran * ran)));
  const [middle, whole] = [share + Z2 / (2 * ran), 1 + Z2 / ran];
  return { from: (middle - half) / whole, to: (middle + half) / whole };
}

/**
 * Does more fail at a place than elsewhere, of the same kind of work? Only then is it the place that people hear of: who
 * runs most of the jobs has most of the failures anyway, and what fails alike everywhere is no place's fault.
 * alone: nothing ran elsewhere, so nobody can tell.
 */
export function compareRates(here: Rate, elsewhere: Rate): "stands-out" | "alike" | "alone" {
  if (here.failed <= 0 || here.ran <= 0) return "alike";
  if (elsewhere.ran <= 0) return "alone";
  const isTwice = here.failed / here.ran >= 2 * (elsewhere.failed / elsewhere.ran);
  return isTwice && range(here).from > range(elsewhere).to ? "stands-out" : "alike";
}

/** A place, and the rest of them taken together. */
export interface Compared<Place> extends Rate {
  readonly place: Place;
  readonly elsewhere: Rate;
  readonly is: ReturnType<typeof compareRates>;
}

export function comparePlaces<Place>(
  places: readonly (Rate & { readonly place: Place })[],
): readonly Compared<Place>[] {
  const sum = (field: keyof Rate) => places.reduce((all, one) => all + one[field], 0);
  const all = { failed: sum("failed"), ran: sum("ran") };
  return places.map(({ place, failed, ran }) => {
    const elsewhere = { failed: all.failed - failed, ran: all.ran - ran };
    return { place, failed, ran, elsewhere, is: compareRates({ failed, ran }, elsewhere) };
  });
}
