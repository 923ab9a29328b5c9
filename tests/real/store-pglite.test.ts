import { storeContract } from "../support/store-contract.ts";
import { freshStore } from "../support/store-embedded.ts";

storeContract("the store on PGlite", freshStore);
