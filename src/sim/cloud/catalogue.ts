/** What the simulated Scaleway sells: images and types of servers, with stock, quota, lease and price. */

export interface CatalogueImage {
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly version: string;
  readonly isBeta: boolean;
  readonly xcode: string;
  /** Types of servers that it runs on. */
  readonly types: readonly string[];
}

export interface CatalogueType {
  readonly name: string;
  readonly chip: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly diskGb: number;
  readonly zone: string;
  stock: 'no_stock' | 'low_stock' | 'high_stock';
  /** Servers of this type that a project may have. */
  quota: number;
  readonly eurosPerHour: number;
}

export interface Catalogue {
  readonly images: CatalogueImage[];
  readonly types: readonly CatalogueType[];
}

const ALL_TYPES = ['M1-M', 'M2-M', 'M2-L', 'M4-S', 'M4-M', 'M4-L', 'M4-XL'];

const image = (at: number, name: string, fields: Partial<CatalogueImage>): CatalogueImage => ({
  id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
  ...{ name, family: '', version: name.split('-').at(-1) ?? '', isBeta: false, xcode: '16', types: ALL_TYPES },
  ...fields,
});

const type = (
  name: string,
  fields: Omit<CatalogueType, 'name' | 'stock' | 'zone'> & { readonly zone?: string },
): CatalogueType => ({
  name,
  stock: 'high_stock',
  zone: 'fr-par-1',
  ...fields,
});

/** As the recordings and price lists of 2026 show it. A fresh copy each time: stock and images change. */
export const createCatalogue = (): Catalogue => ({
  images: [
    image(1, 'macos-ventura-13.6', { family: 'Ventura' }),
    image(2, 'macos-sonoma-14.6', { family: 'Sonoma' }),
    image(3, 'macos-sequoia-15.2', { family: 'Sequoia' }),
    image(4, 'macos-sequoia-15.6', { family: 'Sequoia', version: '15.6.1' }),
    image(5, 'macos-tahoe-26.0', { family: 'Tahoe', xcode: '26' }),
    image(6, 'macos-tahoe-26.3', { family: 'Tahoe', xcode: '26' }),
    image(7, 'fedora-asahi-remix', {
      family: 'Linux',
      version: '42',
      isBeta: true,
      xcode: 'None',
      types: ['M1-M', 'M2-L'],
    }),
    image(8, 'devos-sequoia-15.6', { family: 'DevOS', types: ['M2-L'] }),
  ],
  types: [
    type('M1-M', {
      chip: 'Apple M1',
      cores: 8,
      memoryGb: 8,
      diskGb: 256,
      zone: 'fr-par-3',
      quota: 3,
      eurosPerHour: 0.11,
    }),
    type('M2-M', { chip: 'Apple M2', cores: 8, memoryGb: 16, diskGb: 256, quota: 5, eurosPerHour: 0.17 }),
    type('M2-L', { chip: 'Apple M2 Pro', cores: 10, memoryGb: 16, diskGb: 512, quota: 5, eurosPerHour: 0.23 }),
    type('M4-S', { chip: 'Apple M4', cores: 10, memoryGb: 16, diskGb: 256, quota: 2, eurosPerHour: 0.22 }),
    type('M4-M', { chip: 'Apple M4', cores: 10, memoryGb: 32, diskGb: 1_024, quota: 2, eurosPerHour: 0.29 }),
    type('M4-XL', { chip: 'Apple M4 Pro', cores: 14, memoryGb: 64, diskGb: 2_048, quota: 1, eurosPerHour: 0.49 }),
  ],
});

/** The image that a type gets when nobody says which: the newest macOS. */
export const defaultImage = ({ images }: Catalogue, typeName: string): CatalogueImage | undefined =>
  images.findLast(({ types, isBeta, name }) => types.includes(typeName) && !isBeta && name.startsWith('macos-'));

/** The newest image of a family, as somebody who orders by hand would pick it. */
export const newestOf = ({ images }: Catalogue, family: string): CatalogueImage | undefined =>
  images.findLast((image) => image.family === family);
