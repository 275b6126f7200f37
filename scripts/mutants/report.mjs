import { groups } from './groups.mjs'

/** Prints a table of the groups, and the mutants that no test noticed. Returns whether each group has its least figure. */
export function printReport({ mutants, seconds, isListed = false }) {
  if (isListed) {
    for (const mutant of mutants) console.log(lineOf(mutant))
    console.log(`\n${mutants.length} mutants`)
    return true
  }
  const rows = groups.map((group) => rowOf(group, mutants)).filter(({ all }) => all > 0)
  for (const { name } of rows) {
    const left = mutants.filter((each) => each.group === name && !isKilled(each))
    if (left.length === 0) continue
    console.log(`\nSurvivors in ${name}`)
    for (const mutant of left)
      console.log(`  ${lineOf(mutant)}${mutant.outcome === 'survived' ? '' : ` (${mutant.outcome})`}`)
  }
  console.log('')
  console.log(
    ['group', 'mutants', 'killed', 'survived', 'timed out', '%', 'least', 'seconds'].map(cell).join(''),
  )
  for (const { name, all, killed, timedOut, percent, least, busy } of rows)
    console.log(
      [name, all, killed, all - killed - timedOut, timedOut, percent.toFixed(1), least ?? '', busy.toFixed(0)]
        .map(cell)
        .join(''),
    )
  console.log(`\n${seconds.toFixed(0)} s in all. A mutant that timed out counts as killed.`)
  const low = rows.filter(({ least, percent }) => least !== undefined && percent < least)
  for (const { name, least, percent } of low)
    console.error(`${name}: ${percent.toFixed(1)} % of the mutants were noticed, ${least} % are needed.`)
  return low.length === 0
}

function rowOf({ name, least }, mutants) {
  const own = mutants.filter(({ group }) => group === name)
  const killed = own.filter(({ outcome }) => outcome === 'killed').length
  const timedOut = own.filter(({ outcome }) => outcome === 'timed out').length
  const busy = own.reduce((sum, { ms = 0 }) => sum + ms, 0) / 1000
  return {
    name,
    least,
    all: own.length,
    killed,
    timedOut,
    busy,
    percent: (100 * (killed + timedOut)) / (own.length || 1),
  }
}

function isKilled({ outcome }) {
  return outcome === 'killed' || outcome === 'timed out'
}

function lineOf({ file, line, column, original, mutated }) {
  return `${file}:${line}:${column} ${short(original)} → ${mutated === '' ? '(removed)' : short(mutated)}`
}

function short(text) {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 70 ? `${line.slice(0, 69)}…` : line
}

function cell(value, at) {
  return at === 0 ? String(value).padEnd(14) : String(value).padStart(11)
}
