const irregular = new Map(
  Object.entries({
    kept: 'keep',
    told: 'tell',
    sent: 'send',
    given: 'give',
    gave: 'give',
    written: 'write',
    wrote: 'write',
    hidden: 'hide',
    held: 'hold',
    left: 'leave',
    made: 'make',
    taken: 'take',
    took: 'take',
    shown: 'show',
    said: 'say',
    ran: 'run',
    brought: 'bring',
    seen: 'see',
    found: 'find',
    gone: 'go',
    done: 'do',
    went: 'go',
    built: 'build',
    chosen: 'choose',
    forgotten: 'forget',
    spoken: 'speak',
    overridden: 'override',
  }),
)
const endings = ['ingly', 'edly', 'ings', 'ing', 'ied', 'ies', 'ed', 'es', 'ly', 's']

/** A word without its ending: `forwarding` and `forwards` are `forward`. Stems need not be words; they only have to agree. */
export function stemOf(word: string): string {
  const base = irregular.get(word)
  if (base !== undefined) return base
  const ending = endings.find((each) => word.length - each.length >= 3 && word.endsWith(each)) ?? ''
  const stem = word.slice(0, word.length - ending.length)
  const whole = stem.length > 4 && stem.endsWith('e') ? stem.slice(0, -1) : stem
  return whole.length > 3 && whole.endsWith('y') ? whole.slice(0, -1) : whole
}
