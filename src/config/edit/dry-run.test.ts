import { expect, test } from 'vitest'
import { memoryFiles } from '../../testing/memory-files.ts'
import { recordWrites } from './dry-run.ts'
import { editFile } from './edit-file.ts'

const lock = <T>(_path: string, work: () => Promise<T>) => work()

test('recordWrites: records the text before and after, and writes nothing', async () => {
  const files = memoryFiles({ '/a.json': 'old' })
  const recording = recordWrites(files)
  await recording.replace('/a.json', 'new')
  await recording.replace('/b.json', 'made', { mode: 0o600 })
  await recording.writeBytes('/c.bin', new Uint8Array([1]), { mode: 0o600 })
  await recording.makePrivateDirectory('/d')
  expect(recording.changes()).toEqual([
    { file: '/a.json', before: 'old', after: 'new', mode: 0o600 },
    { file: '/b.json', before: '', after: 'made', mode: 0o600 },
  ])
  expect([files.texts, files.bytes]).toEqual([new Map([['/a.json', 'old']]), new Map()])
})

test('recordWrites: reads recorded writes back, so that several edits of one file add up', async () => {
  const files = memoryFiles({ '/a.json': '1' })
  const platform = { files: recordWrites(files), lock }
  for (const digit of ['2', '3']) await editFile({ platform, path: '/a.json', edit: (text) => text + digit })
  expect(platform.files.changes()).toEqual([{ file: '/a.json', before: '1', after: '123', mode: 0o600 }])
  expect(files.texts.get('/a.json')).toBe('1')
})

test('recordWrites: an edit that changes nothing records no change', async () => {
  const platform = { files: recordWrites(memoryFiles({ '/a.json': '1' })), lock }
  await editFile({ platform, path: '/a.json', edit: (text) => text })
  expect(platform.files.changes()).toEqual([])
})

test('recordWrites: a byte order mark is not part of the text', async () => {
  const files = memoryFiles({})
  const recording = recordWrites(files)
  await recording.replace('/a.json', '\uFEFF{}')
  expect(await recording.readText('/a.json')).toMatchObject({ kind: 'text', text: '{}', bom: true })
  expect(recording.changes()).toEqual([{ file: '/a.json', before: '', after: '{}', mode: 0o600 }])
})
