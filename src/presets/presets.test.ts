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
  test('loadPreset: each name loads the preset of that name', () => {
    expect(presets.map(({ name }) => name)).toEqual([...presetNames])
  })

  test('C8 presets name only existing sources; only the default adds the sources a person enabled', () => {
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
    'preset %s: exactly one rule per topic, each with the ids of its requirements',
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

  test('presets: every requirement id of the documents is in a rule, or in a note that says why not', async () => {
    const ids = await Promise.all(
      presets.map(async ({ name, rows }) => {
        const { notes } = await loadPresetPage(name)
        return [...rows.flatMap((row) => row.ids), ...notes.map(({ id }) => id)]
      }),
    )
    const known = new Set(ids.flat())
    const wanted = Object.entries({ P: 17, B: 28, D: 31, L: 14, O: 22, C: 35 }).flatMap(([letter, count]) =>
      Array.from({ length: count }, (_, at) => `${letter}${at + 1}`),
    )
    expect(wanted.filter((id) => !known.has(id))).toEqual([])
  })

  test('preset pages: every file of this repository that a page names exists', async () => {
    const root = fileURLToPath(new URL('../../', import.meta.url))
    const pages = await Promise.all(presetNames.map(loadPresetPage))
    const named = pages.flatMap(({ mappings, notes }) => [
      ...mappings.flatMap(({ ours = '', note = '' }) => [...pathsIn(ours), ...pathsIn(note)]),
      ...notes.flatMap(({ reason }) => pathsIn(reason)),
    ])
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  test('overlayPreset: an option replaces its own rule and leaves all others', async () => {
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

/** Extracts paths as a page writes them: `src/a/b.ts, c.ts` are two files in one folder. */
function pathsIn(text: string): readonly string[] {
  let folder = ''
  return [...text.matchAll(/[\w./-]+(?:\.ts|\.md|\/)(?=$|[\s,;:)])/g)].flatMap(([path]) => {
    if (path.startsWith('src/') || path.startsWith('docs/')) folder = dirname(path)
    else if (folder === '' || path.includes('/')) return []
    return [path.includes('/') ? path : join(folder, path)]
  })
}
