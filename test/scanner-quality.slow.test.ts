import { expect, test } from 'vitest'
import { fileURLToPath } from 'node:url'
import {
  judge,
  judgeHoldout,
  judgeReal,
  readAttacks,
  readHoldout,
  readLanguages,
  readRealTools,
} from '../scripts/scan-quality.mjs'
import { discover } from '../src/index.ts'
import * as scan from '../src/scan.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const attacks = readAttacks(root)
const of = (...families: readonly string[]) =>
  attacks.filter(({ rule, language }) => !language && families.includes(rule.split('-')[0] ?? ''))

test('the attack set has at least 150 pairs in three styles, a third of them from before the rules', () => {
  const pairs = attacks.filter(({ language }) => !language)
  expect(pairs.length).toBeGreaterThanOrEqual(150)
  expect(pairs.filter(({ batch }) => batch === 1).length).toBeGreaterThanOrEqual(pairs.length / 3)
  expect(new Set(pairs.map(({ id }) => id)).size).toBe(pairs.length)
  const styles = new Map<string, Set<string>>()
  for (const { rule, style } of pairs) {
    const [family = ''] = rule.split('-')
    styles.set(family, (styles.get(family) ?? new Set()).add(style))
  }
  expect([...styles].filter(([, found]) => found.size < 3)).toEqual([])
})

test('T03 T13 T14 T15 attacks through other servers and declarations are found and told from their twins', async () => {
  const judged = await judge(of('XS', 'CFG'), { ...scan, discover })
  expect(judged.filter(({ found }) => !found).map(({ id }) => id)).toEqual([])
  expect(judged.filter(({ clear }) => !clear).map(({ id }) => id)).toEqual([])
})

test('T11 T12 T16 T17 at least 95 % of the attacks are found, and every one found is told from its twin', async () => {
  const judged = await judge(
    attacks.filter(({ language }) => !language),
    { ...scan, discover },
  )
  expect(judged.filter(({ clear }) => !clear).map(({ id }) => id)).toEqual([])
  expect(judged.filter(({ found }) => found).length / judged.length).toBeGreaterThanOrEqual(0.95)
})

/** The newest sets: neither rules nor weights come from them. Their numbers are what to expect of unseen texts. */
const unseen = { holdout: 7, languages: 5 }

const scanner = { ...scan, discover }

test('T11 T16 hold-out sets: at least 95 % found, twins and benign definitions without a medium finding', async () => {
  const { pairs: all, honest: allHonest } = await judgeHoldout(readHoldout(root), scanner)
  const pairs = all.filter(({ round }) => round < unseen.holdout)
  const honest = allHonest.filter(({ round }) => round < unseen.holdout)
  expect([pairs.length, honest.length]).toEqual([369, 376])
  expect(pairs.filter(({ clear }) => !clear).map(({ id }) => id)).toEqual([])
  expect(honest.filter(({ high }) => high).map(({ id }) => id)).toEqual([])
  expect(honest.filter(({ medium }) => medium).length / honest.length).toBeLessThanOrEqual(0.01)
  expect(pairs.filter(({ found }) => found).length / pairs.length).toBeGreaterThanOrEqual(0.95)
})

test('T11 T16 sets that nothing was learned from: two thirds found, five of six twins and 95 % of benign ones left alone', async () => {
  const { pairs: all, honest: allHonest } = await judgeHoldout(readHoldout(root), scanner)
  const pairs = all.filter(({ round }) => round >= unseen.holdout)
  const honest = allHonest.filter(({ round }) => round >= unseen.holdout)
  expect([pairs.length, honest.length]).toEqual([120, 300])
  expect(pairs.filter(({ found }) => found).length / pairs.length).toBeGreaterThanOrEqual(2 / 3)
  expect(pairs.filter(({ clear }) => clear).length / pairs.length).toBeGreaterThanOrEqual(5 / 6)
  expect(honest.filter(({ medium }) => !medium).length / honest.length).toBeGreaterThanOrEqual(0.95)
  expect(honest.filter(({ high }) => !high).length / honest.length).toBeGreaterThanOrEqual(0.975)
})

test('T11 T16 other languages: at least 90 % found, twins and benign definitions without a medium finding', async () => {
  const { pairs: all, honest } = await judgeHoldout(readLanguages(root), scanner)
  expect(all.filter(({ clear }) => !clear).map(({ id }) => id)).toEqual([])
  const pairs = all.filter(({ round }) => round < unseen.languages)
  expect([pairs.length, all.length - pairs.length, honest.length]).toEqual([144, 34, 101])
  expect(honest.filter(({ medium }) => medium).map(({ id }) => id)).toEqual([])
  expect(pairs.filter(({ found }) => found).length / pairs.length).toBeGreaterThanOrEqual(0.9)
})

test('T11 436 tools of published servers have no finding at high or above and at most 1 % at medium', () => {
  const { tools, high, medium } = judgeReal(readRealTools(root), scan)
  expect({ tools, high }).toEqual({ tools: 436, high: 0 })
  expect(medium / tools).toBeLessThanOrEqual(0.01)
})
