import { join } from 'node:path'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { isKeyName } from '../../model/gateway/gateway-key.ts'
import type { GatewayKey, GatewayKeys } from '../../model/gateway/gateway-key.ts'
import { isObject, isStringArray } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import type { Platform } from '../../platform/platform.ts'
import { stateDirectory } from '../own-directories.ts'
import { findForeignAccess } from '../private-file-checks.ts'
import { editStore, refuseDamaged } from '../private-file-edit.ts'

interface KeyFile {
  readonly keys: readonly GatewayKey[]
  readonly damage?: Diagnostic | undefined
}

function keyFile(platform: Pick<Platform, 'env' | 'home'>): string {
  return join(stateDirectory(platform), 'gateway-keys.json')
}

/** The keys of the gateway in a private file of the state directory, where there is no store. */
export function createKeyFile(platform: Platform): GatewayKeys {
  const path = keyFile(platform)
  const read = () => readKeyFile(platform)
  const edit = async (change: (keys: readonly GatewayKey[]) => readonly GatewayKey[] | undefined) => {
    let hasChanged = false
    await editStore({
      path,
      platform,
      read,
      toText({ keys }) {
        const changed = change(keys)
        hasChanged = changed !== undefined
        return `${JSON.stringify({ version: 1, keys: changed ?? keys }, undefined, 2)}\n`
      },
    })
    return hasChanged
  }
  return {
    async list() {
      const { keys, damage } = await read()
      refuseDamaged(damage, path)
      return [...keys].sort((a, b) => (a.name < b.name ? -1 : 1))
    },
    add: (key) => edit((keys) => (keys.some(({ name }) => name === key.name) ? undefined : [...keys, key])),
    async replace(key) {
      if (!(await read()).keys.some(({ name }) => name === key.name)) return false
      return edit((keys) =>
        keys.some(({ name }) => name === key.name)
          ? keys.map((each) => (each.name === key.name ? key : each))
          : undefined,
      )
    },
    async remove(name) {
      // A file is not made to remove nothing from it.
      if (!(await read()).keys.some((each) => each.name === name)) return false
      return edit((keys) => {
        const rest = keys.filter((each) => each.name !== name)
        return rest.length < keys.length ? rest : undefined
      })
    },
  }
}

async function readKeyFile(platform: Platform): Promise<KeyFile> {
  const file = keyFile(platform)
  const found = await platform.files.readText(file)
  if (found.kind === 'absent') return { keys: [] }
  if (found.kind === 'problem') return damaged(file, found.message)
  const foreign = await findForeignAccess(file, platform)
  if (foreign !== undefined) return damaged(file, foreign)
  try {
    const value = JSON.parse(found.text) as Json
    const keys = isObject(value) && Array.isArray(value['keys']) ? value['keys'] : undefined
    if (keys?.every(isKey)) return { keys: keys as unknown as readonly GatewayKey[] } // looked at by `isKey`
  } catch {
    // Said below.
  }
  return damaged(file, 'it is not a list of keys')
}

function isKey(value: Json): boolean {
  if (!isObject(value)) return false
  const { name, id, hash, views, createdAt, expiresAt, previous } = value
  const isText = (each: Json | undefined): each is string => typeof each === 'string'
  const isTime = (each: Json | undefined) => isText(each) && !Number.isNaN(Date.parse(each))
  return (
    [name, id, hash].every(isText) &&
    isText(name) &&
    isKeyName(name) &&
    isTime(createdAt) &&
    (views === undefined || isStringArray(views)) &&
    (expiresAt === undefined || isTime(expiresAt)) &&
    (previous === undefined || (isObject(previous) && isText(previous['hash']) && isTime(previous['until'])))
  )
}

/** T47: a file of keys that others can write could let them in, so none of it is used. */
function damaged(file: string, why: string): KeyFile {
  return {
    keys: [],
    damage: {
      code: 'store-damaged',
      severity: 'error',
      message: `The keys of the gateway cannot be used: ${why}.`,
      hint: `Repair ${file} or remove it.`,
      origin: { file },
    },
  }
}
