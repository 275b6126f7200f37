/** A filter of a list: one of some values, or any. */
export function Choice({
  label,
  all,
  value,
  values,
  onChoose,
}: {
  readonly label: string
  /** What no choice is called: `any server`. */
  readonly all: string
  readonly value: string | undefined
  /** Values, or values with what they are called. */
  readonly values: readonly (string | readonly [value: string, name: string])[]
  readonly onChoose: (value: string) => void
}) {
  const options = values.map((each) => (typeof each === 'string' ? ([each, each] as const) : each))
  const isKnown = value === undefined || options.some(([each]) => each === value)
  return (
    <select aria-label={label} value={value ?? ''} onChange={(event) => onChoose(event.currentTarget.value)}>
      <option value="">{all}</option>
      {(isKnown ? options : [...options, [value, value] as const]).map(([each, name]) => (
        <option key={each} value={each}>
          {name}
        </option>
      ))}
    </select>
  )
}
