import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/index.ts'
import { drawMarkdown, drawResult, toProtocol } from '../../src/surfaces/cli/output/tool-result.ts'
import { hostWith } from '../support/hosted.ts'
import { newHome } from '../support/tool-host.ts'

const bin = (name: string) => fileURLToPath(new URL(`../../node_modules/.bin/${name}`, import.meta.url))
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function hosted(server: string, args: readonly string[] = [], env: JsonObject = {}) {
  const x = await hostWith({ command: bin(server), args, env })
  await x.connect()
  return { ...x, ask: (tool: string, args: JsonObject) => x.host.call(`x/${tool}`, args) }
}

describe('structured content of real servers is not repeated (C17)', () => {
  test('server-filesystem: a file, a list, a change, a tree', async () => {
    await using x = await hosted('mcp-server-filesystem', ['.'])
    const path = join(x.home, 'a.txt')
    writeFileSync(path, 'an "apple"\n\tand a pear\n')
    const file = await x.ask('read_text_file', { path })
    expect(file.text).toBe('an "apple"\n\tand a pear\n')
    expect(drawResult(file)).toBe('an "apple"\n\tand a pear\n')
    expect(drawMarkdown(file)).toBe('an "apple"\n\tand a pear\n')
    expect(toProtocol(file)).toEqual({
      content: [{ type: 'text', text: 'an "apple"\n\tand a pear\n' }],
      structuredContent: { content: 'an "apple"\n\tand a pear\n' },
    })
    const calls: readonly (readonly [string, JsonObject])[] = [
      ['list_directory', { path: x.home }],
      ['list_directory_with_sizes', { path: x.home }],
      ['directory_tree', { path: x.home }],
      ['search_files', { path: x.home, pattern: '*.txt' }],
      ['get_file_info', { path }],
      ['read_multiple_files', { paths: [path, path] }],
      ['write_file', { path: join(x.home, 'b.txt'), content: 'b' }],
      ['edit_file', { path, edits: [{ oldText: 'pear', newText: 'plum' }] }],
      ['list_allowed_directories', {}],
    ]
    for (const [tool, args] of calls) {
      const result = await x.ask(tool, args)
      expect([tool, result.structured]).toEqual([tool, { content: result.blocks[0]?.['text'] }])
      expect([tool, result.text]).toEqual([tool, result.blocks[0]?.['text']])
      expect([tool, drawResult(result)]).toEqual([tool, result.text])
    }
  })

  test('server-filesystem: an image and a binary file', async () => {
    await using x = await hosted('mcp-server-filesystem', ['.'])
    writeFileSync(join(x.home, 'a.png'), Buffer.from(png, 'base64'))
    writeFileSync(join(x.home, 'a.zip'), Buffer.from('PK\u0003\u0004'))
    const image = await x.ask('read_media_file', { path: join(x.home, 'a.png') })
    expect(image.text).toBe('[image: image/png, 70 bytes]')
    expect(drawResult(image)).toBe('[image, image/png, 70 bytes]')
    expect(drawMarkdown(image, new Map([[0, 'a-1.png']]))).toBe('![image](a-1.png)')
    expect(toProtocol(image)).toEqual({ content: image.blocks, structuredContent: { content: image.blocks } })
    const bytes = await x.ask('read_media_file', { path: join(x.home, 'a.zip') })
    expect(bytes.text).toBe(`[resource: file://${join(x.home, 'a.zip')}, application/octet-stream, 4 bytes]`)
  })

  test('server-memory: a wrapped list is not repeated; a short text does not replace its structured content', async () => {
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['she counts'] }]
    // The server replaces its file.
    const env = { MEMORY_FILE_PATH: join(newHome(), 'memory.jsonl') }
    await using x = await hosted('mcp-server-memory', [], env)
    const made = await x.ask('create_entities', { entities })
    expect([made.text, made.structured]).toEqual([JSON.stringify(entities, null, 2), { entities }])
    const gone = await x.ask('delete_entities', { entityNames: ['Ada'] })
    expect(gone.text).toBe(
      'Entities deleted successfully\n```json\n{"success":true,"message":"Entities deleted successfully"}\n```',
    )
  })

  test('server-everything: the same as JSON', async () => {
    await using x = await hosted('mcp-server-everything', ['stdio'])
    const { text, structured } = await x.ask('get-structured-content', { location: 'Chicago' })
    expect(text).toBe(JSON.stringify(structured))
  })
})
