import { useState } from 'preact/hooks'

type Values = Readonly<Record<string, string>>

/** Values by name that are kept for this tab while they are typed. */
export function useKeptValues(key: string): readonly [Values, (name: string, value: string) => void] {
  const [values, setValues] = useState(() => readValues(key))
  const set = (name: string, value: string): void => {
    const next = { ...values, [name]: value }
    setValues(next)
    sessionStorage.setItem(key, JSON.stringify(next))
  }
  return [values, set]
}

function readValues(key: string): Values {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}') as Values // written above
  } catch {
    return {}
  }
}
