import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { namingSchemes, presetNames, presetTopics } from '../model/preset.ts'
import { sourceIds } from '../sources/places.ts'
import { loadPreset, loadPresetPage } from './load-preset.ts'
import { overlayPreset } from './overlay-preset.ts'

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
    '%s has one rule for every topic, and each names the points it comes from',
    (_name, { rows, title }) => {
      expect(title).not.toBe('')
      expect(rows.map(({ topic }) => topic)).toEqual([...presetTopics])
      for (const { rule, ids } of rows) {
        expect(rule).not.toBe('')
        expect(ids.length).toBeGreaterThan(0)
        expect(ids.filter((id) => !/^[PBDLOC]\d{1,2}$/.test(id))).toEqual([])
      }
    },
  )

  test('every point of a document is a line of its table, or a note that says why it is none', async () => {
    const told = await Promise.all(
      presets.map(async ({ name, rows }) => {
        const { notes } = await loadPresetPage(name)
        return [...rows.flatMap(({ ids }) => ids), ...notes.map(({ id }) => id)]
      }),
    )
    const known = new Set(told.flat())
    const wanted = Object.entries({ P: 17, B: 28, D: 31, L: 14, O: 22, C: 35 }).flatMap(([letter, count]) =>
      Array.from({ length: count }, (_, at) => `${letter}${at + 1}`),
    )
    expect(wanted.filter((id) => !known.has(id))).toEqual([])
  })

  test('every file of ours that a page names exists', async () => {
    const root = fileURLToPath(new URL('../../', import.meta.url))
    const pages = await Promise.all(presetNames.map(loadPresetPage))
    const named = pages.flatMap(({ mappings, notes }) => [
      ...mappings.flatMap(({ ours = '', note = '' }) => [...pathsIn(ours), ...pathsIn(note)]),
      ...notes.flatMap(({ reason }) => pathsIn(reason)),
    ])
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  test('an option given beside a preset takes the place of its line, and of no other', async () => {
    const boocode = await loadPreset('boocode')
    expect(await overlayPreset(boocode, {})).toEqual(boocode)
    expect(await overlayPreset(boocode, { naming: 'double', restart: 'backoff', keeps: true })).toEqual({
      ...boocode,
      keepsNothing: false,
      connecting: { ...boocode.connecting, restart: 'backoff' },
      calling: { ...boocode.calling, naming: namingSchemes.double },
    })
  })
})

/** Paths as a page writes them: `src/a/b.ts, c.ts` is two files of one folder. */
function pathsIn(text: string): readonly string[] {
  let folder = ''
  return [...text.matchAll(/[\w./-]+(?:\.ts|\.md|\/)(?=$|[\s,;:)])/g)].flatMap(([path]) => {
    if (path.startsWith('src/') || path.startsWith('docs/')) folder = dirname(path)
    else if (folder === '' || path.includes('/')) return []
    return [path.includes('/') ? path : join(folder, path)]
  })
}
