import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { root } from './run.mjs'
import { readAttacks, readHoldout, readRealTools } from './scan-quality.mjs'

// Learns the weights of src/scan/steering/ from labeled texts, and writes them. `npm run scan:train [-- --check|--print]`; --check only
// prints what texts that were left out of the training get, --print the weights. The same texts give the same weights.

/** The newest hold-out sets are never learned from: they show what to expect of unseen texts. */
const learnedRounds = 6
/** Weights are kept as whole numbers: this many are 1. */
const unit = 32
/** A weight of less than this changes nothing that matters. */
const leastWeight = 4
/** What occurs in fewer texts says nothing about others. */
const leastCount = 3
/** As in src/scan/steering/steering-score.ts. */
const leastWords = 4
const folds = 5
const epochs = 20
/** Keeps weights small: the part of a weight that is taken back with each text. */
const decay = 0.05
/** Of honest definitions, this part may have a finding at medium; none may have one at high. */
const honestAtMedium = 0.015

const {
  splitSentences,
  surfacesOf,
  normalize,
  toRawText,
  tokenize,
  stemsOf,
  featuresOf,
  hashText,
  shortTexts,
} = await bundle(`
  export { splitSentences } from './src/scan/language/sentences.ts'
  export { surfacesOf } from './src/scan/engine/surfaces.ts'
  export { normalize } from './src/scan/engine/normalize.ts'
  export { toRawText } from './src/scan/engine/raw-text.ts'
  export { tokenize } from './src/scan/language/split-words.ts'
  export { shortTexts } from './src/scan/steering/weight-table.ts'
  export { hashText } from './src/scan/steering/feature-hash.ts'
  export { stemsOf, featuresOf } from './src/scan/steering/sentence-features.ts'
`)

const definitions = readDefinitions()
const sentences = readSentences()
const known = new Map()

const heldOut = crossValidate()
const medium = leastAbove(heldOut, honestAtMedium)
const high = ceil(Math.max(...heldOut.filter(({ isHostile }) => !isHostile).map(({ score }) => score)) + 0.25)
const found = (least) => heldOut.filter(({ isHostile, score }) => isHostile && score >= least).length
const twins = heldOut.filter(({ isTwin }) => isTwin)
const hostile = heldOut.filter(({ isHostile }) => isHostile).length
console.log(`twins at medium: ${twins.filter(({ score }) => score >= medium).length} of ${twins.length}`)
console.log(
  `left out: ${found(medium)} of ${hostile} at medium (${medium}), ${found(high)} at high (${high})`,
)
if (process.argv.includes('--print')) print(learn(definitions, sentences))
else if (!process.argv.includes('--check')) write(learn(definitions, sentences))

/** Each definition is scored by weights that were learned without it. */
function crossValidate() {
  const scored = []
  for (let fold = 0; fold < folds; fold++) {
    const isOut = ({ group }) => group % folds === fold
    const model = learn(
      definitions.filter((each) => !isOut(each)),
      sentences.filter((each) => !isOut(each)),
    )
    for (const { isHostile, pair, parts } of definitions.filter(isOut)) {
      const score = Math.max(...parts.map((part) => scoreOf(part, model)))
      scored.push({ isHostile, isTwin: !isHostile && pair !== undefined, score })
    }
  }
  return scored
}

function leastAbove(scored, part) {
  const honest = scored
    .filter(({ isHostile, isTwin }) => !isHostile && !isTwin)
    .map(({ score }) => score)
    .toSorted((a, b) => b - a)
  return ceil(honest[Math.floor(part * honest.length)])
}

/**
 * Logistic regression. Of a hostile definition only one part is hostile: all that its twin does not share are taken for it at
 * first, then the one with the highest score.
 */
function learn(definitionList, sentenceList) {
  const shared = new Map()
  for (const { isHostile, pair, parts } of definitionList)
    if (!isHostile && pair !== undefined) shared.set(pair, new Set(parts))
  const honest = new Set(definitionList.filter(({ isHostile }) => !isHostile).flatMap(({ parts }) => parts))
  const attacks = definitionList
    .filter(({ isHostile }) => isHostile)
    .map(({ pair, parts }) => {
      const own = parts.filter((part) => !shared.get(pair)?.has(part))
      return own.length > 0 ? own : parts
    })
  const always = [
    ...[...honest].map((text) => ({ text, isHostile: false, weight: 1 })),
    ...sentenceList.map(({ text, isHostile }) => ({ text, isHostile, weight: 1 })),
  ]
  const first = attacks.flat().map((text) => ({ text, isHostile: true, weight: 0.5 }))
  const rough = fit([...always, ...first])
  const worst = attacks.map((parts) =>
    parts.reduce((a, b) => (scoreOf(a, rough) >= scoreOf(b, rough) ? a : b)),
  )
  return fit([...always, ...worst.map((text) => ({ text, isHostile: true, weight: 1 }))])
}

function fit(samples) {
  const counts = new Map()
  for (const { text } of samples)
    for (const feature of featuresIn(text)) counts.set(feature, (counts.get(feature) ?? 0) + 1)
  const index = new Map(
    [...counts].filter(([, count]) => count >= leastCount).map(([feature], at) => [feature, at]),
  )
  const rows = samples.map(({ text }) =>
    featuresIn(text).flatMap((feature) => (index.has(feature) ? [index.get(feature)] : [])),
  )
  const attacks = samples.filter(({ isHostile }) => isHostile).length
  const balance = (samples.length - attacks) / attacks
  const weights = new Float64Array(index.size)
  const squares = new Float64Array(index.size).fill(1e-6)
  const order = [...samples.keys()]
  const random = seeded(12_345)
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(order, random)
    for (const at of order) {
      const row = rows[at]
      const { isHostile, weight } = samples[at]
      const scale = 1 / Math.sqrt(row.length + shortTexts)
      let sum = 0
      for (const each of row) sum += weights[each]
      const error = 1 / (1 + Math.exp(-sum * scale)) - (isHostile ? 1 : 0)
      const step = error * weight * scale * (isHostile ? balance : 1)
      for (const each of row) {
        const gradient = step + decay * weights[each]
        squares[each] += gradient * gradient
        weights[each] -= (0.3 * gradient) / Math.sqrt(squares[each])
      }
    }
  }
  const kept = [...index]
    .map(([feature, at]) => [feature, Math.max(-127, Math.min(127, Math.round(weights[at] * unit)))])
    .filter(([, weight]) => Math.abs(weight) >= leastWeight)
  return new Map(kept)
}

/** As src/scan/steering/steering-score.ts does it. */
function scoreOf(text, model) {
  if (stemsOf(tokenize(text)).length < leastWords) return -Infinity
  const features = featuresIn(text)
  let sum = 0
  let count = 0
  for (const feature of features) {
    const weight = model.get(feature)
    if (weight === undefined) continue
    sum += weight
    count++
  }
  return sum / unit / Math.sqrt(count + shortTexts)
}

function featuresIn(text) {
  let features = known.get(text)
  if (!features) known.set(text, (features = ['', ...featuresOf(stemsOf(tokenize(text)))]))
  return features
}

function readDefinitions() {
  const list = []
  const add = (kind, value, isHostile, pair) => {
    const parts = partsOf(kind, value)
    if (parts.length > 0) list.push({ isHostile, pair, parts, group: groupOf(pair ?? parts.join('\n')) })
  }
  const pairs = [
    ...readAttacks(root).filter(({ language, kind }) => !language && kind !== 'config'),
    ...readHoldout(root).hostile.flatMap(({ round, list: entries }) =>
      round > learnedRounds ? [] : entries.filter(({ kind }) => kind !== 'config'),
    ),
  ]
  for (const { id, kind, hostile: attack, harmless } of pairs) {
    add(kind, attack, true, id)
    add(kind, harmless, false, id)
  }
  for (const { round, list: entries } of readHoldout(root).benign)
    if (round <= learnedRounds) for (const { kind, thing } of entries) add(kind, thing, false)
  for (const { tool } of readRealTools(root)) add('tool', tool, false)
  return list
}

/** Sentences that were written to learn from: hostile ones, each with a near miss, and honest ones. */
function readSentences() {
  const folder = join(root, 'test/fixtures/scanner/training')
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')))
    .flatMap((entry) => {
      if (typeof entry === 'string') return [{ text: entry, isHostile: false, group: groupOf(entry) }]
      const group = groupOf(entry.hostile)
      return [
        { text: entry.hostile, isHostile: true, group },
        { text: entry.honest, isHostile: false, group },
      ]
    })
}

/** Each sentence of a definition, and each with the next one. */
function partsOf(kind, value) {
  const values = kind === 'drift' ? [value.current] : kind === 'together' ? toolsOf(value) : [value]
  const surfaces = values.flatMap((each) => surfacesOf(each, kind === 'drift' ? 'tool' : kind).list)
  const parts = surfaces
    .filter(({ place }) => place !== 'name' && place !== 'key')
    .flatMap((surface) => {
      const texts = splitSentences(normalize(toRawText(surface).visible).text).map(({ text }) => text.trim())
      return texts.flatMap((text, at) => (at === 0 ? [text] : [text, `${texts[at - 1]} ${text}`]))
    })
  return [...new Set(parts)]
}

function toolsOf(value) {
  return (value.servers ?? value).flatMap(({ tools = [] }) => tools)
}

function write(model) {
  const rows = [...model]
    .map(([feature, weight]) => [hashText(feature), weight])
    .toSorted(([a], [b]) => a - b)
  const bytes = Buffer.alloc(rows.length * 5)
  for (const [at, [hash, weight]] of rows.entries()) {
    bytes.writeUInt32LE(hash, at * 4)
    bytes.writeInt8(weight, rows.length * 4 + at)
  }
  writeFileSync(
    join(root, 'src/scan/steering/learned-weights.ts'),
    `// Written by \`npm run scan:train\`, which prints the weights with --print. Not to be edited.

/** The least scores of a finding, and how many of a weight are 1. */
export const learned = { medium: ${medium}, high: ${high}, unit: ${unit} }

/** The table that WeightTable reads. */
export const learnedWeights =
  '${bytes.toString('base64')}'
`,
  )
  console.log(`${model.size} weights written`)
}

function print(model) {
  for (const [feature, weight] of [...model].toSorted(([, a], [, b]) => b - a)) console.log(weight, feature)
}

function groupOf(text) {
  let value = 7
  for (const letter of text) value = (value * 31 + letter.codePointAt(0)) % 1_000_003
  return value
}

function seeded(start) {
  let state = start
  return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648
}

function shuffle(list, random) {
  for (let at = list.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    ;[list[at], list[other]] = [list[other], list[at]]
  }
}

async function bundle(code) {
  const directory = mkdtempSync(join(tmpdir(), 'plugboard-train-'))
  const entry = '\0entry'
  const plugin = {
    name: 'entry',
    resolveId: (id, importer) => (id === entry ? entry : importer === entry ? join(root, id) : null),
    load: (id) => (id === entry ? code : null),
  }
  try {
    const bundled = await rolldown({ input: entry, platform: 'node', plugins: [plugin] })
    const file = join(directory, 'scan.mjs')
    await bundled.write({ file, format: 'esm' })
    await bundled.close()
    return await import(pathToFileURL(file).href)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** Limits have few digits. */
function ceil(score) {
  return Math.ceil(score * unit) / unit
}
