import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callOutcome, faultHost, faulty, newHome } from '../support/fault-host.ts'

const secrets = {
  AWS_SECRET_ACCESS_KEY: 'aws-secret',
  GITHUB_TOKEN: 'ghp_secret',
  PLUGBOARD_TOKEN: 'own-secret',
  NODE_OPTIONS: '--no-warnings',
  LD_PRELOAD: '',
  BASH_ENV: '/tmp/evil',
}

/** The only variable that a host adds: by it, what leaves a server's process group is found (FI-90). */
const startTag = expect.stringMatching(/^\w{20}$/) as string

async function environmentOf(
  fault: Awaited<ReturnType<typeof faultHost>>,
): Promise<Readonly<Record<string, string>>> {
  const { env } = JSON.parse(await fault.call('environment')) as { readonly env: Record<string, string> } // printed by the faulty server
  return env
}

test('T05 environment: a server gets exactly the minimal environment and its own variables', async () => {
  const home = newHome()
  const minimal = { HOME: home, LANG: 'C.UTF-8', LC_TIME: 'de_DE', TERM: 'xterm', TZ: 'UTC', USER: 'dana' }
  await using fault = await faultHost(
    { x: faulty({}, { env: { MODE: 'strict', HOST_NAME: '${USER}' } }) },
    { home, platform: { env: { ...minimal, ...secrets, PATH: '/usr/bin:/bin' } } },
  )
  expect(await environmentOf(fault)).toEqual({
    ...minimal,
    PATH: '/usr/bin:/bin',
    MODE: 'strict',
    HOST_NAME: 'dana',
    PLUGBOARD_STARTED: startTag,
  })
})

test('T05 environment: an entry gets the variables that it names, and no others', async () => {
  const home = newHome()
  await using fault = await faultHost(
    { x: faulty({}, { passEnv: ['GITHUB_TOKEN'] }) },
    { home, platform: { env: { HOME: home, PATH: '/usr/bin:/bin', ...secrets } } },
  )
  expect(await environmentOf(fault)).toEqual({
    HOME: home,
    PATH: '/usr/bin:/bin',
    GITHUB_TOKEN: 'ghp_secret',
    PLUGBOARD_STARTED: startTag,
  })
})

test('T05 FI-90 environment: a host in a server adds its tag to that of the outer host, whatever an entry says', async () => {
  const home = newHome()
  await using fault = await faultHost(
    { x: faulty({}, { env: { PLUGBOARD_STARTED: 'forged' } }) },
    { home, platform: { env: { HOME: home, PATH: '/usr/bin:/bin', PLUGBOARD_STARTED: 'outer' } } },
  )
  expect(await environmentOf(fault)).toMatchObject({
    PLUGBOARD_STARTED: expect.stringMatching(/^outer:\w{20}$/) as string,
  })
})

test('T04 spawn: a program of the workspace never shadows a system program, whatever PATH says', async () => {
  const home = newHome()
  const project = join(home, 'project')
  mkdirSync(join(project, 'bin'), { recursive: true })
  for (const name of ['node', 'bin/node', 'only-here', 'bin/only-here']) {
    writeFileSync(join(project, name), '#!/bin/sh\ntouch "$(dirname "$0")/canary"\n')
    chmodSync(join(project, name), 0o755)
  }
  const { args } = faulty()
  await using fault = await faultHost(
    { x: { command: 'node', args: args ?? [] }, y: { command: 'only-here', args: [] } },
    {
      home,
      cwd: project,
      platform: { env: { HOME: home, PATH: `.:${project}:${project}/bin::${process.env['PATH']}` } },
    },
  )
  expect(JSON.parse(await fault.call())).toEqual({ name: 'tool-0', arguments: {} })
  expect(await callOutcome(fault.host.connect('y'))).toMatchObject({
    code: 'server.failed',
    failure: { code: 'spawn', message: '"only-here" was not found in PATH.' },
  })
  expect([existsSync(join(project, 'canary')), existsSync(join(project, 'bin/canary'))]).toEqual([
    false,
    false,
  ])
})

test('T04 spawn: no shell interprets the arguments, and an argument with a line break is refused', async () => {
  const { command, args } = faulty() as { readonly command: string; readonly args: readonly string[] } // as `faulty` builds it
  await using fault = await faultHost({
    x: { command, args },
    y: { command, args: [...args, 'a\nb'] },
    z: { command: 'echo $(touch canary); true', args: [] },
  })
  const { argv } = JSON.parse(await fault.call('environment')) as { readonly argv: readonly string[] } // printed by the faulty server
  expect(argv).toEqual(args.slice(1))
  expect(await callOutcome(fault.host.connect('y'))).toMatchObject({
    failure: { code: 'spawn', message: 'Argument 4 contains a line break or a NUL.' },
  })
  expect(await callOutcome(fault.host.connect('z'))).toMatchObject({ failure: { code: 'spawn' } })
})
