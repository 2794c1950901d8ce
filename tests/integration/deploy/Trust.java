import java.io.FileInputStream;
import java.io.InputStream;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** Says which chains of certificates Java trusts of a server: {@code java Trust.java CA CHAIN...} */
class Trust {
    static X509Certificate[] read(String file) throws Exception {
        try (InputStream in = new FileInputStream(file)) {
            return CertificateFactory.getInstance("X.509").generateCertificates(in)
                .toArray(new X509Certificate[0]);
        }
    }

    public static void main(String[] args) throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setCertificateEntry("ca", (Certificate) read(args[0])[0]);
        TrustManagerFactory factory =
            TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        X509TrustManager manager = (X509TrustManager) factory.getTrustManagers()[0];
        for (int i = 1; i < args.length; i++) {
            try {
                manager.checkServerTrusted(read(args[i]), "ECDHE_ECDSA");
                System.out.println(args[i] + ": trusted");
            } catch (CertificateException e) {
                System.out.println(args[i] + ": refused, " + e.getMessage());
            }
        }
    }
}
