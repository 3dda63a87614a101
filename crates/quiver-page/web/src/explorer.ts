/** The views that draw graphs. They are a file of their own, which is loaded when one of them is opened. */

export { Explore } from './explore/explore.tsx';
export { Query } from './tabs/query.tsx';
