const { signal } = new AbortController()
const show = (step: object) => console.log(step)
//- snippet
