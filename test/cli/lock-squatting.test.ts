import { chmod, chown, mkdir, rm, rmdir, stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import { bundleScript, runScript } from '../support/programs/processes.ts'

const isRoot = process.platform === 'linux' && process.getuid?.() === 0
const nobody = 65_534

test.runIf(isRoot)(
  'T56 add: succeeds while another user holds every name that it can guess or see (needs root to be another user)',
  async () => {
    using machine = createMachine({ '~/.config/plugboard/mcp.json': { mcpServers: {} } })
    const script = await bundleScript('lock-squatter.ts')
    await chmod(dirname(script), 0o755)
    const files = ['~/.config/plugboard/mcp.json', '.mcp.json'].map((file) => machine.path(file))
    const squatter = runScript(script, ['0', userInfo().homedir, ...files], { uid: nobody })
    try {
      expect(await squatter.nextLine()).toBe('ready')
      for (const name of ['one', 'two', 'three']) {
        expect(await machine.run('add', name, '--', 'x')).toMatchObject({ code: 0 })
      }
      expect((await machine.run('add', 'four', '--scope', 'project', '--', 'x')).code).toBe(0)
      squatter.go()
      const report = JSON.parse((await squatter.nextLine()) ?? '') as { held: number; intruded: string[] }
      expect(report.intruded).toEqual([])
      expect(report.held).toBeGreaterThan(0)
    } finally {
      squatter.child.kill('SIGKILL')
      await squatter.ended
      await rm('/tmp/plugboard-locks-0', { recursive: true, force: true })
      await rm(dirname(script), { recursive: true })
    }
  },
)

test.runIf(isRoot)(
  'T56 add: a lock directory that another user owns is an error with a sentence (needs root to be another user)',
  async () => {
    // A user id without an account has no home directory, so its locks are in /tmp, where others can take the name.
    const uid = 100_000 + Math.floor(Math.random() * 1_000_000)
    using machine = createMachine({ '~/.config/plugboard/mcp.json': { mcpServers: {} } })
    for (const path of ['~/', '~/.config', '~/.config/plugboard', '~/.config/plugboard/mcp.json']) {
      await chown(machine.path(path), uid, uid)
    }
    const place = `/tmp/plugboard-locks-${uid}`
    try {
      await mkdir(place)
      const refused = await machine.runWith({ uid }, 'add', 'one', '--', 'x')
      expect(refused).toMatchObject({ code: 1, stdout: '' })
      expect(refused.stderr).toContain(`Locks cannot be kept in ${place}: it belongs to another user.`)
      await rmdir(place)
      expect(await machine.runWith({ uid }, 'add', 'one', '--', 'x')).toMatchObject({ code: 0 })
      expect((await stat(place)).mode & 0o777).toBe(0o700)
    } finally {
      await rm(place, { recursive: true, force: true })
    }
  },
)
