import { describe, expect, test } from 'vitest'
import { createPerson, problems, servers, shortOf } from '../../test/support/person.ts'
import type { DiscoverOptions } from './discover-options.ts'
import { namedOnly, sourceIds } from '../sources/places.ts'
import { surveySources } from './survey.ts'

async function survey(files: Readonly<Record<string, unknown>>, options: DiscoverOptions = {}) {
  const person = createPerson(files)
  const found = await surveySources({ ...options, platform: person.platform })
  return { found, of: (id: string) => found.find((source) => source.id === id) }
}

describe('C8 surveySources', () => {
  test('returns every source with fixed places, with its title and files', async () => {
    const { found } = await survey({})
    expect(found.map(({ id }) => id)).toEqual(sourceIds.filter((id) => !namedOnly.has(id)))
    expect(
      found.filter(({ title, files }) => title === '' || files.length === 0).map(({ id }) => id),
    ).toEqual(
      // All of its places have a `*`, and no file matches.
      ['copilot-coding-agent'],
    )
    expect(found.flatMap((source) => [...source.servers, ...source.diagnostics])).toEqual([])
    expect(found.flatMap((source) => source.files.filter((file) => file.found))).toEqual([])
  })

  test('returns servers, existing files and problems of each source, whether in use or not', async () => {
    const { of } = await survey({
      '~/.cursor/mcp.json': servers('mine'),
      '.cursor/mcp.json': servers('shop'),
      '~/.codeium/windsurf/mcp_config.json': '{',
      '~/.config/plugboard/settings.json': { sources: ['cursor'] },
    })
    expect(of('cursor')?.use).toBe('on')
    expect(of('cursor')?.servers.map(({ name }) => name)).toEqual(['shop', 'mine'])
    expect(of('cursor')?.files.map(({ file, scope, found }) => [shortOf(file), scope, found])).toEqual([
      ['.cursor/mcp.json', 'project', true],
      ['~/.cursor/mcp.json', 'user', true],
    ])
    const windsurf = of('windsurf')
    expect([windsurf?.use, windsurf?.servers, windsurf && problems(windsurf)]).toEqual([
      'off',
      [],
      ['error parse-error ~/.codeium/windsurf/mcp_config.json'],
    ])
    expect(of('plugboard')?.use).toBe('own')
  })

  test('assigns a file that several clients read to its owner', async () => {
    const { found } = await survey({ '.cursor/mcp.json': servers('a') })
    const readers = found.filter(({ files }) =>
      files.some(({ file, found: there }) => there && file.includes('.cursor')),
    )
    expect(readers.length).toBeGreaterThan(1)
    const owners = readers.filter(({ files }) =>
      files.some(({ file, own }) => own && file.includes('.cursor')),
    )
    expect(owners.map(({ id }) => id)).toEqual(['cursor'])
  })

  test('assigns opencode.json to opencode, though Dispatch reads it too', async () => {
    const { found } = await survey({ 'opencode.json': { mcp: { a: { type: 'local', command: ['x'] } } } })
    const owners = found.filter(({ files }) => files.some((each) => each.found && each.own))
    expect(owners.map(({ id, servers: all }) => [id, all.map(({ name }) => name)])).toEqual([
      ['opencode', ['a']],
    ])
  })

  test('lists an unreadable file as found', async () => {
    const person = createPerson({ '~/.cursor/mcp.json': '' })
    const readText: typeof person.files.readText = async (path, options) =>
      path.endsWith('.cursor/mcp.json')
        ? { kind: 'problem', problem: 'not-a-file', message: 'a folder' }
        : person.files.readText(path, options)
    const found = await surveySources({
      platform: { ...person.platform, files: { ...person.files, readText } },
    })
    const cursor = found.find(({ id }) => id === 'cursor')
    expect(cursor?.files.filter((file) => file.found).map(({ file }) => shortOf(file))).toEqual([
      '.cursor/mcp.json',
      '~/.cursor/mcp.json',
    ])
    expect(cursor?.diagnostics.map(({ code }) => code)).toEqual(['unreadable-file', 'unreadable-file'])
  })

  test('writes nothing', async () => {
    const person = createPerson({ '~/.cursor/mcp.json': servers('a') })
    const before = new Map(person.files.texts)
    await surveySources({ platform: person.platform })
    expect(person.files.texts).toEqual(before)
  })
})
