import { describe, expect, test } from 'vitest'
import { createPerson, shortOf } from '../../../test/support/person.ts'
import type { SourceId } from '../places.ts'
import { findOthers } from './other-files.ts'
import { createWorld } from '../../config/world.ts'

async function others(
  files: Readonly<Record<string, string>>,
  used: readonly SourceId[] = [],
  usedFiles = new Set<string>(),
) {
  const { platform } = createPerson(files)
  const found = await findOthers(new Set(used), usedFiles, await createWorld(platform), platform.files)
  return found.map(({ source, file }) => `${source} ${shortOf(file)}`)
}

describe('C8 findOthers', () => {
  test('finds files of clients whose source is off, without opening them', async () => {
    const person = createPerson({ '~/.cursor/mcp.json': 'not even JSON' })
    const readText = () => Promise.reject(new Error('opened'))
    const found = await findOthers(new Set(), new Set(), await createWorld(person.platform), {
      ...person.files,
      readText,
    })
    expect(found.map(({ source }) => source)).toEqual(['cursor'])
  })

  test('start: looks for no file below a folder that the project or ~/.config does not have', async () => {
    const person = createPerson({ '.cursor/mcp.json': '', '~/.config/zed/other.json': '' })
    const looked: string[] = []
    await findOthers(new Set(), new Set(), await createWorld(person.platform), {
      ...person.files,
      stat(path) {
        looked.push(shortOf(path))
        return person.files.stat(path)
      },
    })
    expect([...new Set(looked)].filter((path) => !path.startsWith('/'))).toEqual([
      '.cursor/mcp.json',
      '~/.config/zed/settings.json',
    ])
  })

  test('lists a shared file once, for the client that owns it', async () => {
    expect(await others({ '.cursor/mcp.json': '', '~/.claude.json': '', '.vscode/mcp.json': '' })).toEqual([
      'claude-code ~/.claude.json',
      'cursor .cursor/mcp.json',
      'vscode .vscode/mcp.json',
    ])
  })

  test('omits files in use and sources in use', async () => {
    const files = { '~/.cursor/mcp.json': '', '~/.codeium/windsurf/mcp_config.json': '' }
    expect(await others(files, ['cursor', 'visual-studio', 'mcporter', 'pi', 'oh-my-pi'])).toEqual([
      'windsurf ~/.codeium/windsurf/mcp_config.json',
    ])
    expect(await others(files, [], new Set(['/home/dana/.cursor/mcp.json']))).toEqual([
      'windsurf ~/.codeium/windsurf/mcp_config.json',
    ])
  })

  test('omits files of settings, and files that are read only when named', async () => {
    expect(await others({ '~/.claude/settings.json': '', 'server.json': '', 'manifest.json': '' })).toEqual(
      [],
    )
  })

  test('expands places with a star', async () => {
    expect(await others({ '.kiro/agents/release.json': '', '~/.continue/mcpServers/pg.yaml': '' })).toEqual([
      'continue ~/.continue/mcpServers/pg.yaml',
      'kiro .kiro/agents/release.json',
    ])
  })
})
