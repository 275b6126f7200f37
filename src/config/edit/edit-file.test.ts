import { describe, expect, test } from 'vitest'
import { FileError } from '../../platform/platform.ts'
import type { FileProblem, Files, Platform } from '../../platform/platform.ts'
import { memoryFiles } from '../../testing/memory-files.ts'
import { editFile } from './edit-file.ts'

const path = '/p/a.json'
const add = (text: string) => `${text}+`

function platformWith(files: Files): Pick<Platform, 'files' | 'lock'> {
  return { files, lock: (_path, work) => work() }
}

/** Files that another program, which takes no lock, changes right before our rename, the given number of times. */
function contested(times: number) {
  const files = memoryFiles({ [path]: 'a' })
  let left = times
  const replace: Files['replace'] = async (at, text, options) => {
    if (left-- > 0) files.texts.set(at, `${files.texts.get(at)}!`)
    await files.replace(at, text, options)
  }
  return { ...files, replace }
}

describe('T09 editFile', () => {
  test('starts from an empty text if there is no file, and reports whether it changed', async () => {
    const files = memoryFiles({})
    expect(await editFile({ platform: platformWith(files), path, edit: add })).toEqual({
      file: path,
      changed: true,
    })
    expect(files.texts.get(path)).toBe('+')
    const same = await editFile({ platform: platformWith(files), path, edit: (text) => text })
    expect(same).toEqual({ file: path, changed: false })
  })

  test('holds the lock on the real path during the whole edit', async () => {
    const files = { ...memoryFiles({ '/real/a.json': 'a' }), realPath: async () => '/real/a.json' }
    const events: string[] = []
    const lock: Platform['lock'] = async (locked, work) => {
      events.push(`lock ${locked}`)
      const result = await work()
      events.push('unlock')
      return result
    }
    const edit = (text: string) => {
      events.push('edit')
      return add(text)
    }
    expect(await editFile({ platform: { files, lock }, path, edit })).toEqual({
      file: '/real/a.json',
      changed: true,
    })
    expect(events).toEqual(['lock /real/a.json', 'edit', 'unlock'])
    expect(files.texts.get('/real/a.json')).toBe('a+')
  })

  test('starts over if another program changes the file meanwhile, and keeps that change', async () => {
    const files = contested(2)
    await editFile({ platform: platformWith(files), path, edit: add })
    expect(files.texts.get(path)).toBe('a!!+')
  })

  test('gives up after three attempts and leaves the other program’s text', async () => {
    const files = contested(Infinity)
    await expect(editFile({ platform: platformWith(files), path, edit: add })).rejects.toMatchObject({
      code: 'config.conflict',
      data: { file: path },
      message: '/p/a.json is being changed by another program.',
    })
    expect(files.texts.get(path)).toBe('a!!!')
  })

  test('starts over if the file appears meanwhile', async () => {
    const files = memoryFiles({})
    let first = true
    const replace: Files['replace'] = async (at, text, options) => {
      if (first) files.texts.set(at, 'theirs')
      first = false
      await files.replace(at, text, options)
    }
    await editFile({ platform: platformWith({ ...files, replace }), path, edit: add })
    expect(files.texts.get(path)).toBe('theirs+')
  })

  test('passes on errors of the edit function and writes nothing', async () => {
    const files = memoryFiles({ [path]: 'a' })
    const edit = () => Promise.reject(new RangeError('mine'))
    await expect(editFile({ platform: platformWith(files), path, edit })).rejects.toThrow(
      new RangeError('mine'),
    )
    expect(files.texts.get(path)).toBe('a')
  })
})

describe('FI-73 editFile: a file that cannot be read or written is a typed error', () => {
  test.each<[FileProblem, string | undefined]>([
    ['no-permission', 'Give yourself write permission for the file and its folder.'],
    ['no-space', 'Free some disk space, then try again.'],
    ['read-only', 'The file system is read-only; change the file at its source.'],
    ['io', undefined],
  ])('on writing: %s', async (problem, hint) => {
    const files = memoryFiles({ [path]: 'a' })
    const replace = () => Promise.reject(new FileError(problem, 'why'))
    const edited = editFile({ platform: platformWith({ ...files, replace }), path, edit: add })
    await expect(edited).rejects.toMatchObject({
      code: 'config.unwritable',
      data: { file: path },
      message: 'why. The file is unchanged.',
      ...(hint !== undefined && { hint }),
    })
    expect(files.texts.get(path)).toBe('a')
  })

  test.each<FileProblem>(['not-a-file', 'too-large', 'not-utf8', 'no-permission'])(
    'on reading: %s',
    async (problem) => {
      const files = memoryFiles({ [path]: 'a' })
      const readText = async () => ({ kind: 'problem', problem, message: 'why' }) as const
      const edited = editFile({ platform: platformWith({ ...files, readText }), path, edit: add })
      await expect(edited).rejects.toMatchObject({
        code: 'config.unwritable',
        data: { file: path },
        message: 'why.',
      })
      expect(files.texts.get(path)).toBe('a')
    },
  )
})
