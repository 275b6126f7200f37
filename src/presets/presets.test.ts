import { describe, expect, test } from 'vitest'
import { presetNames } from '../model/preset.ts'
import { sourceIds } from '../sources/places.ts'
import { loadPreset } from './load.ts'

const presets = await Promise.all(presetNames.map(loadPreset))

describe('presets', () => {
  test('each name loads its own table', () => {
    expect(presets.map(({ name }) => name)).toEqual([...presetNames])
  })

  test('C8 each names sources that exist; only ours adds what a person turned on', () => {
    expect(
      presets.map(({ name, sources, addsEnabledSources }) => [name, sources, addsEnabledSources]),
    ).toEqual([
      ['default', ['plugboard'], true],
      ['boocode', ['boocode'], false],
      ['dispatch', ['dispatch'], false],
      ['omp', ['oh-my-pi'], false],
    ])
    const known: readonly string[] = sourceIds
    expect(presets.flatMap(({ sources }) => sources).filter((id) => !known.includes(id))).toEqual([])
  })

  test.each(presets.map((preset) => [preset.name, preset] as const))(
    '%s says where its servers come from, how they are joined, what values mean and who is trusted',
    (_name, { rows, title }) => {
      expect(title).not.toBe('')
      expect(rows.map(({ topic }) => topic)).toEqual(
        expect.arrayContaining(['sources', 'merging', 'values', 'trust']),
      )
      expect(new Set(rows.map(({ topic }) => topic)).size).toBe(rows.length)
      for (const { rule, ids } of rows) {
        expect(rule).not.toBe('')
        expect(ids.length).toBeGreaterThan(0)
        expect(ids.filter((id) => !/^[PBDLOC]\d{1,2}$/.test(id))).toEqual([])
      }
    },
  )
})
