import { expect, test } from 'vitest'
import { lookUpFacts } from './model-facts.ts'
import { costOf } from './model-price.ts'
import { estimateTokens } from './tokens.ts'

test('costOf: cached input has its own price, and long requests have others', () => {
  const price = { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75 }
  const long = { input: 6, output: 22.5, above: 200_000 }
  const million = 1_000_000
  expect(costOf({ inputTokens: million, outputTokens: million }, price)).toBeCloseTo(18)
  expect(costOf({ inputTokens: million, outputTokens: 0, cachedTokens: million / 2 }, price)).toBeCloseTo(
    1.65,
  )
  expect(costOf({ inputTokens: million, outputTokens: 0, cacheWriteTokens: million }, price)).toBeCloseTo(
    3.75,
  )
  expect(costOf({ inputTokens: 200_000, outputTokens: 0 }, { ...price, long })).toBeCloseTo(0.6)
  expect(costOf({ inputTokens: 200_001, outputTokens: 0 }, { ...price, long })).toBeCloseTo(1.200006)
})

test('the table knows prices by provider and by address, with tiers; unknown is unknown', () => {
  expect(lookUpFacts('gpt-5', { providerId: 'openai' })).toEqual({
    window: 400_000,
    price: { input: 1.25, output: 10, cachedInput: 0.125 },
  })
  expect(lookUpFacts('gemini-2.5-pro', { providerId: 'google' }).price).toEqual({
    input: 1.25,
    output: 10,
    cachedInput: 0.125,
    long: { input: 2.5, output: 15, cachedInput: 0.25, above: 200_000 },
  })
  expect(lookUpFacts('openai/gpt-5', { providerApiUrl: 'https://openrouter.ai/api/v1' }).price?.input).toBe(
    1.25,
  )
  expect(lookUpFacts('no-such-model', { providerId: 'openai' })).toEqual({})
  expect(lookUpFacts('gpt-5', { providerApiUrl: 'https://models.corp.example/v1' })).toEqual({})
})

test('estimateTokens: a long text costs no more time than its beginning', () => {
  expect(estimateTokens('hello world')).toBe(2)
  const long = 'hello world '.repeat(100_000)
  expect(Math.abs(estimateTokens(long) / 200_000 - 1)).toBeLessThan(0.1)
})
