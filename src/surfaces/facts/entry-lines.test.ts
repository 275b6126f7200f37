import { describe, expect, test } from 'vitest'
import { serverOf, stdioOf } from '../../../test/support/server.ts'
import type { JsonObject } from '../../index.ts'
import { isLoader, shownTexts } from '../../internal.ts'
import { entryLines } from './entry-lines.ts'

const own = { args: ['--token', 'own-secret-1'], env: { API_TOKEN: 'own-secret-2' } }
const theirs = { command: 'x', args: ['--token', '$(id)'], env: { API_TOKEN: 'abcd-1234' }, new: { key: 1 } }

function joined(...layers: readonly (readonly ['project' | 'user', JsonObject])[]) {
  const transport = stdioOf('x', { env: { API_TOKEN: 'abcd-1234' } })
  const declared = layers.flatMap(
    ([authority, entry]) => serverOf('a', { entry, origin: { authority } }).declared,
  )
  return serverOf('a', { transport, declared })
}

describe('T10 texts shown before trusting a server', () => {
  test('entryLines: every key as written; of a plain secret only the beginning', () => {
    const server = joined(['project', theirs])
    expect(entryLines(theirs, server, shownTexts(server))).toEqual([
      'command: "x"',
      'args: ["--token","$(id)"]',
      'env: {"API_TOKEN":"abcd…"}',
      'new: {"key":1}',
    ])
  })

  test('T35 values that come from the user’s own layer stay masked', () => {
    const server = joined(['project', theirs], ['user', own])
    const shown = shownTexts(server)
    expect(shown.args(['--token', 'own-secret-1'])).toEqual(['--token', '•••'])
    expect(shown.args(['--token', '$(id)'])).toEqual(['--token', '$(id)'])
    expect(shown.value('API_TOKEN', 'own-secret-2')).toBe('•••')
    expect(entryLines(own, server, shown)).toEqual(['args: ["--token","•••"]', 'env: {"API_TOKEN":"•••"}'])
  })

  test.each(['a b', '`id`', '$(id)', './evil', 'a\\b', 'a;b', 'a|b', 'a&b', "a'b", 'a\nb', '@x'])(
    'a secret that could be code is shown in full: %j',
    (text) => expect(shownTexts(joined(['project', {}])).value('API_TOKEN', text)).toBe(text),
  )

  test('isLoader recognizes variables that control what programs load', () => {
    const names = ['NODE_OPTIONS', 'LD_PRELOAD', 'LD_LIBRARY_PATH', 'DYLD_INSERT_LIBRARIES', 'PYTHONPATH']
    const more = ['BASH_ENV', 'ENV', 'GIT_SSH_COMMAND', 'npm_config_registry', 'PATH', 'Path']
    expect([...names, ...more].filter((name) => !isLoader(name))).toEqual([])
    expect(['MODE', 'MY_PATH', 'NODE_ENV', 'API_TOKEN'].filter((name) => isLoader(name))).toEqual([])
  })
})
