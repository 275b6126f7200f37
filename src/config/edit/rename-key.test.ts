import { describe, expect, test } from 'vitest'
import { createFakePlatform } from '../../testing/fake-platform.ts'
import { renameKey } from './rename-key.ts'

async function rename(file: string, text: string, pointer: string, to: string) {
  const platform = createFakePlatform({ files: { [file]: text } })
  await renameKey(file, { pointer, to }, { platform })
  return platform.files.texts.get(file)
}

describe('renameKey', () => {
  test.each([
    [
      '/x.json',
      '{\n  // "arg" is a word here\n  "a": { "arg": ["arg"], /* arg */ "b": 1 }\n}\n',
      '"arg":',
      '"args":',
    ],
    ['/x.toml', '# arg\n[mcp_servers.a]\narg = ["arg"] # arg\ncommand = "x"\n', '\narg =', '\nargs ='],
    ['/x.yaml', 'a:\n  # arg\n  arg: [arg] # arg\n  b: arg\n', '\n  arg:', '\n  args:'],
  ])(
    '%s: only the key changes; values and comments with the same word stay',
    async (file, text, before, after) => {
      const pointer = file === '/x.toml' ? '/mcp_servers/a/arg' : '/a/arg'
      expect(await rename(file, text, pointer, 'args')).toBe(text.replace(before, after))
    },
  )

  test('a key that is gone, or whose other name is taken, is a conflict, and nothing is written', async () => {
    for (const text of ['{ "a": {} }', '{ "a": { "arg": 1, "args": 2 } }', '{ "a": ']) {
      await expect(rename('/x.json', text, '/a/arg', 'args')).rejects.toMatchObject({
        code: 'config.conflict',
      })
    }
  })

  test('a dry run reports the change and writes nothing', async () => {
    const text = '{ "arg": 1 }'
    const platform = createFakePlatform({ files: { '/x.json': text } })
    const { changed, changes } = await renameKey(
      '/x.json',
      { pointer: '/arg', to: 'args' },
      { platform, dryRun: true },
    )
    expect(changed).toBe(true)
    expect(changes).toMatchObject([{ file: '/x.json', before: text, after: '{ "args": 1 }' }])
    expect(platform.files.texts.get('/x.json')).toBe(text)
  })
})
